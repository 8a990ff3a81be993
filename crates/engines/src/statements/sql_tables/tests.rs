use super::*;
use crate::live::Fate;
use crate::sql_check::statements;

fn tables_of(text: &str) -> Result<Vec<TableStatement>, String> {
    let all = statements(text).unwrap();
    let written: Vec<Written<'_>> = { all.iter() }
        .map(|statement| Written {
            line: 3,
            sql: statement.sql,
        })
        .collect();
    tables(&written)
}

fn keys(table: &TableStatement) -> (Vec<&str>, Vec<&str>) {
    let partition = table.partition_key.iter().map(String::as_str);
    (
        partition.collect(),
        table.order_key.iter().map(String::as_str).collect(),
    )
}

#[test]
fn a_dump_of_postgresql_has_tables_keys_and_the_design_like_each() {
    let text = "SET statement_timeout = 0;\n\
        CREATE TYPE public.mood AS ENUM ('a', 'b');\n\
        CREATE UNLOGGED TABLE public.readings (\n\
        \"Device\" character varying(20) NOT NULL,\n\"time\" timestamp with time zone DEFAULT now() NOT NULL,\n\
        heat double precision,\n  feels public.mood,\n  tags text[]\n);\n\
        ALTER TABLE public.readings OWNER TO me;\n\
        ALTER TABLE ONLY public.readings ADD CONSTRAINT readings_pkey PRIMARY KEY (\"Device\", \"time\");\n\
        CREATE INDEX by_time ON public.readings USING btree (\"time\" DESC);\n\
        CREATE TABLE public.places (id integer, name text);\n";
    let all = tables_of(text).unwrap();
    let [readings, places] = &all[..] else {
        panic!("{all:?}")
    };
    assert_eq!(readings.place, "public.readings");
    assert_eq!(keys(readings), (vec!["Device"], vec!["time"]));
    assert_eq!(
        readings.design.as_deref(),
        Some("postgres/plain?time-index=on")
    );
    assert_eq!(readings.forms["Device"], DeclaredForm::Characters(20));
    let declared = readings.declared("s.sql", &[], None).unwrap();
    assert_eq!(declared.columns.len(), 4);
    let left_out = &declared.origin.left_out[0];
    assert!(
        left_out.starts_with("`tags` (text[]): an array"),
        "{left_out}"
    );
    let why = places.declared("s.sql", &[], None).unwrap_err();
    assert!(why.contains("neither a PRIMARY KEY nor an index"), "{why}");
    let named = places.declared("s.sql", &["ID".to_owned()], None).unwrap();
    assert_eq!(named.partition_key, ["id"]);
}

#[test]
fn keys_are_divided_at_the_time_and_may_be_those_of_an_index() {
    for (text, partition, order, noted) in [
        (
            "CREATE TABLE t (a int, at timestamp, b int, PRIMARY KEY (a, at, b))",
            vec!["a"],
            vec!["at", "b"],
            false,
        ),
        (
            "CREATE TABLE t (at timestamp, a int, PRIMARY KEY (at, a))",
            vec!["a"],
            vec!["at"],
            false,
        ),
        (
            "CREATE TABLE t (at timestamp PRIMARY KEY, a int)",
            vec!["at"],
            vec![],
            false,
        ),
        (
            "CREATE TABLE t (a int NOT NULL UNIQUE, b int)",
            vec!["a"],
            vec![],
            false,
        ),
        (
            "CREATE TABLE t (a int, b int); CREATE INDEX i ON t (b, a)",
            vec!["b"],
            vec!["a"],
            true,
        ),
        (
            "CREATE TABLE t (a int, b int, UNIQUE (a))",
            vec!["a"],
            vec![],
            true,
        ),
        (
            "CREATE TABLE `my t` (`a b` int AUTO_INCREMENT, PRIMARY KEY (`a b`)) ENGINE=InnoDB",
            vec!["a b"],
            vec![],
            false,
        ),
    ] {
        let all = tables_of(text).unwrap();
        assert_eq!(keys(&all[0]), (partition, order), "{text}");
        assert_eq!(!all[0].notes.is_empty(), noted, "{text}");
        assert_eq!(all[0].design, None, "{text}");
    }
    let all = tables_of("CREATE TABLE t (a int, at timestamp, PRIMARY KEY (a, at))").unwrap();
    let declared = all[0].declared("s.sql", &[], Some("at")).unwrap();
    assert_eq!(
        (declared.partition_key, declared.order_key),
        (vec!["a".to_owned()], vec!["at".to_owned()])
    );
    let both = all[0]
        .declared("s.sql", &["at".to_owned()], Some("at"))
        .unwrap();
    assert_eq!(
        (both.partition_key, both.order_key),
        (vec!["at".to_owned()], Vec::new())
    );
}

#[test]
fn checked_bounds_and_a_better_key_are_found() {
    let text = "CREATE TYPE mood AS ENUM ('fine', 'So so');\n\
        CREATE TABLE t (id serial PRIMARY KEY, series int NOT NULL, at timestamp NOT NULL, feels mood,\n\
        done tinyint(1), level int CHECK (level BETWEEN 1 AND 5), share double precision,\n\
        CHECK (((share >= 0) AND (share <= 100))), CHECK (level > series), UNIQUE (series, at))";
    let all = tables_of(text).unwrap();
    let forms = &all[0].forms;
    assert_eq!(forms["done"], DeclaredForm::Between(0, 1));
    assert_eq!(forms["level"], DeclaredForm::Between(1, 5));
    assert_eq!(forms["share"], DeclaredForm::Between(0, 100));
    assert_eq!(forms["series"], DeclaredForm::Plain);
    let moods = ["fine", "So so"].map(str::to_owned).to_vec();
    assert_eq!(forms["feels"], DeclaredForm::OneOf(moods));
    assert_eq!(
        all[0].notes,
        [
            "`t` has the key (id) and a UNIQUE (series, at), which is the better key if rows are asked for by it: \
          --key series --time at"
        ]
    );
    let without = text.replace(", UNIQUE (series, at)", "");
    assert!(tables_of(&without).unwrap()[0].notes.is_empty());
}

#[test]
fn what_a_text_says_is_no_sign_of_postgresql() {
    for (text, design) in [
        (
            "CREATE TABLE t (a int PRIMARY KEY COMMENT 'from jsonb')",
            None,
        ),
        (
            "CREATE TABLE t (a int PRIMARY KEY); INSERT INTO t VALUES ('using btree')",
            None,
        ),
        (
            "CREATE TABLE t (a int PRIMARY KEY, b jsonb)",
            Some("postgres/plain"),
        ),
    ] {
        let all = tables_of(text).unwrap();
        assert_eq!(all[0].design.as_deref(), design, "{text}");
    }
}

#[test]
fn what_is_no_table_is_skipped_and_what_cannot_be_read_is_told_with_its_line() {
    let others = "CREATE VIEW v AS SELECT 1; CREATE TABLE u AS SELECT 1; CREATE INDEX i ON nothing (a); \
                  CREATE FOREIGN TABLE f (a int) SERVER s; CREATE FUNCTION g() RETURNS int AS $$ SELECT 1; $$";
    assert!(tables_of(others).unwrap().is_empty());
    let why = tables_of("CREATE TABLE t (a int PRIMARY KEY").unwrap_err();
    assert!(
        why.starts_with("line 3: cannot read this CREATE TABLE as SQL"),
        "{why}"
    );
    assert!(why.contains("ends in .cql"), "{why}");
}

#[test]
fn unknown_types_are_left_out_and_deep_nesting_is_an_error() {
    let all =
        tables_of("CREATE TABLE t (a int PRIMARY KEY, place geometry(Point, 4326), b tsvector)")
            .unwrap();
    let left_out = all[0]
        .columns
        .iter()
        .filter(|column| matches!(column.fate, Fate::LeftOut(_)));
    assert_eq!(left_out.count(), 2);
    let deep = format!(
        "CREATE TABLE t (a int DEFAULT {}1{})",
        "(".repeat(500),
        ")".repeat(500)
    );
    assert!(tables_of(&deep).is_err());
    for (begin, end) in [("ARRAY<", ">"), ("", "[]")] {
        let kind = format!("{}int{}", begin.repeat(100_000), end.repeat(100_000));
        let why = tables_of(&format!("CREATE TABLE t (a int PRIMARY KEY, b {kind})")).unwrap_err();
        assert!(why.contains("within each other or in one chain"), "{why}");
    }
    let long = format!(
        "CREATE TABLE t (a int CHECK (a = 1{}))",
        " OR a = 1".repeat(100_000)
    );
    let why = tables_of(&long).unwrap_err();
    assert!(why.contains("a IN (1, 2, 3) in place of a = 1 OR"), "{why}");
}
