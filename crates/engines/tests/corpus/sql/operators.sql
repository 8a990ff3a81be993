SELECT 1.5e3, .5, 0x1F, n::text, a - -1, a -1 /* * */ * 2, '{}'::jsonb #>> '{a}', $1, a$b$c, été FROM t WHERE a <-> b < 3 AND c @> ARRAY[1,2] OR d !~* '^x'
