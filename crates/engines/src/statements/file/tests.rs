use super::*;

const SHOP: &str = "-- The schema.\nCREATE TABLE rooms (id int PRIMARY KEY, name text);\n\n\
    CREATE TABLE shop.readings (\n  \"Room Name\" text,\n  time timestamp,\n  heat double,\n\
      PRIMARY KEY (\"Room Name\", time)\n);\n\
    -- name: newest\nSELECT max(time) AS newest FROM shop.readings WHERE \"Room Name\" = 'a';\n\
    SELECT * FROM rooms;\nSELECT a.heat FROM readings a JOIN rooms b ON a.id = b.id;\n\
    -- name: newest\nSELECT heat FROM readings WHERE heat > 5 LIMIT 5;\n\
    INSERT INTO rooms VALUES (1, 'a;b');\nSELECT now();\n";

fn sql(text: &str) -> StatementsFile {
    StatementsFile::parse(text, Language::Sql).unwrap()
}

#[test]
fn one_table_is_chosen_and_what_asks_it_becomes_questions() {
    let file = sql(SHOP);
    let declared = file
        .declared(Some("readings"), "shop.sql", &[], None)
        .unwrap();
    assert_eq!(declared.origin.name, "shop.readings in shop.sql");
    let found = Inferred::declared(declared);
    let (candidates, others) = file.candidates(&AskedTable::parse("shop.readings"), &found);
    assert_eq!(others, 2);
    let questions: Vec<_> = { candidates.iter() }
        .map(|candidate| candidate.question.as_ref().unwrap())
        .collect();
    assert_eq!(questions[0].name.as_deref(), Some("newest"));
    assert_eq!(
        questions[0].sql,
        "SELECT max(time) AS newest FROM readings WHERE room_name = ${room_name}"
    );
    // A name is taken once.
    assert_eq!(questions[1].name, None);
    let table = file.asked_table(Some("readings")).unwrap();
    assert_eq!(table.to_string(), "shop.readings");
    // The table of another schema is another one.
    let elsewhere = AskedTable::parse("old.readings");
    assert_eq!(file.candidates(&elsewhere, &found).1, 3);
}

#[test]
fn which_table_is_meant_has_to_be_said() {
    let file = sql(SHOP);
    let why = |wanted: Option<&str>| file.declared(wanted, "shop.sql", &[], None).unwrap_err();
    assert_eq!(
        why(None),
        "it makes 2 tables, rooms, shop.readings: say which one is meant with --table NAME"
    );
    let unknown = why(Some("reading"));
    assert!(
        unknown.starts_with("--table reading: it makes no such table"),
        "{unknown}"
    );
    let none = sql("SELECT 1 FROM t")
        .declared(None, "x.sql", &[], None)
        .unwrap_err();
    assert!(none.contains("there is no CREATE TABLE"), "{none}");
    let empty = sql("").declared(None, "x.sql", &[], None).unwrap_err();
    assert!(empty.contains("there is no CREATE TABLE"), "{empty}");
}

#[test]
fn columns_that_are_changed_later_are_told() {
    let text =
        "CREATE TABLE t (a int PRIMARY KEY);\nALTER TABLE t ADD b int;\nALTER TABLE u ADD c int;";
    for language in [Language::Sql, Language::Cql] {
        let file = StatementsFile::parse(text, language).unwrap();
        let notes = file.declared(None, "x", &[], None).unwrap().notes;
        let [note] = &notes[..] else {
            panic!("{notes:?}")
        };
        assert!(
            note.starts_with("`t` is changed by ALTER TABLE in line 2, which"),
            "{note}"
        );
    }
}

#[test]
fn a_dump_of_mysql_has_backslashes_in_its_texts() {
    let dump = "CREATE TABLE `t` (\n  `a` int NOT NULL AUTO_INCREMENT, # it's the key\n  `b` varchar(9) COMMENT 'don\\'t',\n  \
                PRIMARY KEY (`a`)\n) ENGINE=InnoDB;\n\
                INSERT INTO `t` VALUES (1,'it\\'s; \\\\'),(2,'\\\\'),(3,\"a\\\"b'\");\nSELECT max(b) AS m FROM t;\n";
    let file = sql(dump);
    let declared = file.declared(None, "d.sql", &[], None).unwrap();
    assert_eq!(declared.partition_key, ["a"]);
    let (candidates, others) =
        file.candidates(&AskedTable::parse("t"), &Inferred::declared(declared));
    assert_eq!((candidates.len(), others), (1, 0));
    let open = dump.replace("'\\\\'),(3", "'\\'),(3");
    let why = StatementsFile::parse(&open, Language::Sql).unwrap_err();
    assert!(why.contains("line 6: "), "{why}");
}

#[test]
fn misspelled_queries_are_told() {
    let file = sql("CREATE TABLE t (a int PRIMARY KEY);\nSET x = 1;\nSELEC a FROM t;\nVACUUM t;\n");
    let notes = file.declared(None, "x.sql", &[], None).unwrap().notes;
    assert_eq!(
        notes,
        ["no question: line 3: no statement begins with `SELEC`; did you mean `SELECT`?"]
    );
}

#[test]
fn a_limit_of_cql_has_the_order_of_each_column() {
    let text = "CREATE TABLE t (k int, \"The Time\" timestamp, id int, v int, PRIMARY KEY (k, \"The Time\", id)) \
                WITH CLUSTERING ORDER BY (\"The Time\" DESC, id ASC);\n\
                SELECT * FROM t WHERE k = ? LIMIT 10;";
    let file = StatementsFile::parse(text, Language::Cql).unwrap();
    let found = Inferred::declared(file.declared(None, "x.cql", &[], None).unwrap());
    let (candidates, _) = file.candidates(&AskedTable::parse("t"), &found);
    let question = candidates[0].question.as_ref().unwrap();
    assert_eq!(
        question.sql,
        "SELECT * FROM t WHERE k = ${k} ORDER BY the_time DESC, id LIMIT 10"
    );
}

#[test]
fn two_tables_of_one_name_are_told() {
    let twice = sql("CREATE TABLE t (a int PRIMARY KEY);\nCREATE TABLE t (b int PRIMARY KEY);");
    for wanted in [None, Some("t")] {
        let why = twice.declared(wanted, "x.sql", &[], None).unwrap_err();
        assert_eq!(
            why,
            "it makes the table t twice, in line 1 and in line 2: leave one of them out"
        );
    }
    let elsewhere =
        sql("CREATE TABLE a.t (a int PRIMARY KEY);\nCREATE TABLE b.t (b int PRIMARY KEY);");
    let why = elsewhere
        .declared(Some("t"), "x.sql", &[], None)
        .unwrap_err();
    assert!(why.contains("it makes 2 tables, a.t, b.t"), "{why}");
    let one = elsewhere.declared(Some("b.t"), "x.sql", &[], None).unwrap();
    assert_eq!(one.partition_key, ["b"]);
}

#[test]
fn what_is_no_text_or_does_not_end_is_refused() {
    for (text, words) in [
        ("CREATE TABLE t (a\0 int)", "bytes that are no text"),
        (
            "CREATE TABLE t (a int PRIMARY KEY); SELECT 'x FROM t",
            "line 1: a quoted text or name does not end: close it",
        ),
        (
            "CREATE TABLE t (a int PRIMARY KEY);\nSELECT 1;\nSELECT a /* FROM t",
            "line 3: a comment does not end",
        ),
        ("-- name: 1\nSELECT a FROM t", "begins with a letter"),
    ] {
        let why = StatementsFile::parse(text, Language::Sql).unwrap_err();
        assert!(why.contains(words), "{text}: {why}");
    }
    // A long line is a line.
    let columns: Vec<String> = (0..5_000).map(|number| format!("c{number} int")).collect();
    let long = format!("CREATE TABLE t ({}, PRIMARY KEY (c1))", columns.join(", "));
    let cql = StatementsFile::parse(&long, Language::Cql).unwrap();
    let declared = cql.declared(None, "x.cql", &[], None).unwrap();
    assert_eq!(declared.columns.len(), 500);
    // Lines are counted once, whatever the number of statements.
    let many = format!("{}\nCREATE TABLE t (a)", "SET a;\n".repeat(100_000));
    let why = StatementsFile::parse(&many, Language::Cql).unwrap_err();
    assert!(why.starts_with("line 100002: "), "{why}");
}

#[test]
fn the_ending_says_the_language() {
    let of = |name: &str| StatementsFile::language_of(Path::new(name));
    assert_eq!(of("a/schema.CQL"), Some(Language::Cql));
    assert_eq!(of("schema.sql"), Some(Language::Sql));
    assert_eq!(of("schema.csv"), None);
    assert_eq!(of("sql"), None);
}
