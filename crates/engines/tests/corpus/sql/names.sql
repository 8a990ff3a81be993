SELECT substring(name FROM 1 FOR 2), a.copy, delete, sum(update) FROM t WINDOW w AS (PARTITION BY a)
