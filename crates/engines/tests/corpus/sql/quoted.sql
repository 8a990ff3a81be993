select ';', 'it''s', E'\';', $$; INTO $$, $x$ $$; $x$, U&'\0041', B'1', X'1f', N'n' FROM "into" WHERE "a;""b" = U&"d\0061t"
