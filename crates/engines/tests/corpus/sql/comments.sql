 -- first
 /* and /* nested */ -- */ (SELECT 1) UNION (SELECT 2); ;
-- end
