SELECT room, avg(temperature) AS mean FROM readings GROUP BY room ORDER BY room
