CREATE TABLE t (a int PRIMARY KEY, b text);
SELECT b FROM t WHERE b = 'open
