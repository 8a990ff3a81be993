use super::super::defaults::is_needed;
use super::super::flags;
use super::super::folder::STORED;
use super::*;

const PORTS: Ports = Ports {
    native: 1,
    storage: 2,
    ssl_storage: 3,
    jmx: 4,
};

#[test]
fn the_server_listens_on_loopback_only_and_stays_in_its_folder() {
    let parent = tempfile::tempdir().unwrap();
    let folder = Folder::create(&parent.path().join("a \"b\"")).unwrap();
    folder
        .write_configuration(
            Node::default(),
            PORTS,
            DiskAccess::Standard,
            &Chosen::default(),
        )
        .unwrap();
    let yaml = std::fs::read_to_string(folder.yaml()).unwrap();
    assert!(yaml.contains("listen_address: 127.0.0.1\nrpc_address: 127.0.0.1\n"));
    assert!(yaml.contains("native_transport_port: 1\nstorage_port: 2\nssl_storage_port: 3\n"));
    assert!(yaml.contains("disk_access_mode: standard\n"));
    assert!(yaml.contains("/a \\\"b\\\"/commitlog\"\n"), "{yaml}");
    assert!(folder.logback().is_file());
    for line in yaml.lines().filter(|line| line.contains("_director")) {
        let name = line.rsplit('/').next().unwrap();
        let name = name.trim_end_matches([']', '"']);
        assert!(STORED.contains(&name), "{line}");
    }
    assert!(!yaml.contains("initial_token"), "{yaml}");
    assert!(
        yaml.contains("authenticator: PasswordAuthenticator\n"),
        "{yaml}"
    );
    assert!(
        yaml.contains("user_defined_functions_enabled: false\n"),
        "{yaml}"
    );
    let earlier = Ports { jmx: 0, ..PORTS };
    assert_eq!(folder.earlier_ports(), Some(earlier));
}

#[test]
fn a_server_alone_takes_no_connection_of_others_at_its_port_for_nodes() {
    let parent = tempfile::tempdir().unwrap();
    let folder = Folder::create(parent.path()).unwrap();
    let text = |node| {
        let text = folder.yaml_text(node, PORTS, DiskAccess::Standard, &Chosen::default());
        text.unwrap()
    };
    assert!(!text(Node::default()).contains("server_encryption_options"));
    std::fs::write(folder.store(), "").unwrap();
    std::fs::write(folder.store_password_file(), "of the store\n").unwrap();
    let closed = text(Node::default());
    let (_, entry) = closed.split_once("\nserver_encryption_options:\n").unwrap();
    for line in [
        "  internode_encryption: all\n",
        "  optional: false\n",
        "  require_client_auth: true\n",
        "  truststore_password: \"of the store\"\n",
    ] {
        assert!(entry.contains(line), "{line}: {entry}");
    }
    let store = format!("store: {}\n", quoted(utf8(&folder.store()).unwrap()));
    assert_eq!(entry.matches(&store).count(), 2, "{entry}");
    // Encryption would be part of what is measured of several nodes.
    let second = Node::all(3).nth(1).unwrap();
    assert!(!text(second).contains("server_encryption_options"));
    assert!(is_needed("server_encryption_options"));
}

#[test]
fn a_node_has_its_own_address_and_tokens_and_asks_the_first_one() {
    let parent = tempfile::tempdir().unwrap();
    let folder = Folder::create(parent.path()).unwrap();
    let second = Node::all(3).nth(1).unwrap();
    let with_functions = Chosen {
        functions: true,
        ..Chosen::default()
    };
    let yaml = folder
        .yaml_text(second, PORTS, DiskAccess::Standard, &with_functions)
        .unwrap();
    assert!(
        yaml.contains("user_defined_functions_enabled: true\n"),
        "{yaml}"
    );
    assert!(yaml.contains("listen_address: 127.0.0.2\nrpc_address: 127.0.0.2\n"));
    assert!(yaml.contains("- seeds: \"127.0.0.1:2\"\n"), "{yaml}");
    assert_eq!(yaml.matches("hinted_handoff_enabled: true\n").count(), 1);
    assert_eq!(yaml.matches("hinted_handoff_enabled").count(), 1);
    let tokens = yaml.lines().find(|line| line.starts_with("initial_token"));
    assert_eq!(tokens.unwrap().split(',').count(), 4);
}

#[test]
fn a_period_of_the_commit_log_is_only_set_where_there_is_one() {
    let lines = |syncs_writes| {
        let chosen = Chosen {
            syncs_writes,
            ..Chosen::default()
        };
        let all = settings(Node::default(), &chosen);
        let of_log = all.iter();
        let of_log = of_log.filter(|(name, _)| name.starts_with("commitlog_"));
        let lines: Vec<String> = of_log.map(|(n, value)| format!("{n}: {value}")).collect();
        lines.join(", ")
    };
    // With a period as well, Cassandra does not start.
    assert_eq!(lines(true), "commitlog_sync: batch");
    assert_eq!(
        lines(false),
        "commitlog_sync: periodic, commitlog_sync_period: 10000ms"
    );
}

#[test]
fn a_node_that_joins_fetches_its_data_and_has_tokens_between_those_of_the_others() {
    let parent = tempfile::tempdir().unwrap();
    let folder = Folder::create(parent.path()).unwrap();
    let fourth = Node::all(4).last().unwrap();
    let text = |joins| {
        let chosen = Chosen {
            joins,
            ..Chosen::default()
        };
        let text = folder.yaml_text(fourth, PORTS, DiskAccess::Standard, &chosen);
        text.unwrap()
    };
    assert!(text(false).contains("\nauto_bootstrap: false\n"));
    let joins = text(true);
    assert!(joins.contains("\nauto_bootstrap: true\n"), "{joins}");
    assert_eq!(joins.matches("auto_bootstrap").count(), 1);
    let tokens = fourth.tokens_when_added();
    let tokens: Vec<String> = tokens.iter().map(i64::to_string).collect();
    let tokens = format!("\ninitial_token: {}\n", tokens.join(","));
    assert!(joins.contains(&tokens), "{joins}");
}

fn yaml(node: Node, tuning: Tuning) -> String {
    let parent = tempfile::tempdir().unwrap();
    let folder = Folder::create(parent.path()).unwrap();
    let chosen = Chosen {
        tuning,
        ..Chosen::default()
    };
    let text = folder.yaml_text(node, PORTS, DiskAccess::Standard, &chosen);
    text.unwrap()
}

fn with_settings(settings: &[(&str, &str)]) -> Tuning {
    let settings = settings.iter();
    let settings = settings.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Tuning {
        settings: settings.collect(),
        ..Tuning::default()
    }
}

#[test]
fn chosen_settings_take_the_place_of_others_or_come_after_them() {
    let tuning = with_settings(&[
        ("compaction_throughput", "160MiB/s"),
        ("hinted_handoff_enabled", "false"),
        ("read_request_timeout", "7s"),
        ("row_cache_size", "512MiB"),
        ("sstable_format", "bti"),
        ("user_defined_functions_enabled", "true"),
    ]);
    let second = Node::all(3).nth(1).unwrap();
    let text = yaml(second, tuning.clone());
    for (name, line) in [
        ("compaction_throughput", "compaction_throughput: 160MiB/s\n"),
        ("hinted_handoff_enabled", "hinted_handoff_enabled: false\n"),
        ("read_request_timeout", "read_request_timeout: 7s\n"),
        ("range_request_timeout", "range_request_timeout: 600s\n"),
        ("row_cache_size", "row_cache_size: 512MiB\n"),
        ("sstable", "sstable:\n  selected_format: bti\n"),
        (
            "user_defined_functions_enabled",
            "user_defined_functions_enabled: true\n",
        ),
    ] {
        assert!(text.contains(&format!("\n{line}")), "{text}");
        let entries = text.lines().filter(|entry| {
            let (key, _) = entry.split_once(':').unwrap_or_default();
            key == name
        });
        assert_eq!(entries.count(), 1, "{name} in {text}");
    }
    let chosen = Chosen {
        functions: true,
        tuning,
        ..Chosen::default()
    };
    let reported = settings(second, &chosen);
    assert!(reported.contains(&("sstable_format".into(), "bti".into())));
    assert!(reported.contains(&("row_cache_size".into(), "512MiB".into())));
}

#[test]
fn functions_may_be_switched_off_although_statements_make_some() {
    let chosen = Chosen {
        functions: true,
        tuning: with_settings(&[(FUNCTIONS, "false")]),
        ..Chosen::default()
    };
    let reported = settings(Node::default(), &chosen);
    let functions: Vec<&str> = { reported.iter() }
        .filter(|(name, _)| name == FUNCTIONS)
        .map(|(_, value)| value.as_str())
        .collect();
    assert_eq!(functions, ["false"]);
}

#[test]
fn time_outs_are_long_or_as_shipped() {
    let with = |shipped_time_outs| {
        let tuning = Tuning {
            shipped_time_outs,
            ..with_settings(&[("write_request_timeout", "3s")])
        };
        yaml(Node::default(), tuning)
    };
    let (long, shipped) = (with(false), with(true));
    for (name, is_long, is_shipped) in [
        ("read_request_timeout", "600s", "5s"),
        ("range_request_timeout", "600s", "10s"),
        ("request_timeout", "600s", "10s"),
        ("native_transport_timeout", "600s", "12s"),
        ("counter_write_request_timeout", "60s", "5s"),
        ("truncate_request_timeout", "60s", "60s"),
        ("write_request_timeout", "3s", "3s"),
    ] {
        assert!(long.contains(&format!("\n{name}: {is_long}\n")), "{long}");
        assert!(
            shipped.contains(&format!("\n{name}: {is_shipped}\n")),
            "{shipped}"
        );
    }
}

#[test]
fn the_release_before_has_no_key_that_it_does_not_know() {
    let of = |release| {
        let chosen = Chosen {
            release,
            ..Chosen::default()
        };
        settings(Node::default(), &chosen)
    };
    let (four, mut five) = (of(Release::Four), of(Release::Five));
    let only_in_five = ("storage_compatibility_mode".to_owned(), "NONE".to_owned());
    assert!(five.contains(&only_in_five));
    five.retain(|setting| *setting != only_in_five);
    assert_eq!(four, five);
}

/// An entry that is there twice would have the later value.
#[test]
fn every_entry_is_needed_or_can_be_replaced() {
    let second = Node::all(3).nth(1).unwrap();
    let text = yaml(second, Tuning::default());
    let entries = text.lines().filter(|line| !line.starts_with(' '));
    let names = entries.filter_map(|line| Some(line.split_once(':')?.0));
    let (needed, others): (Vec<&str>, Vec<&str>) = names.partition(|name| is_needed(name));
    assert_eq!(
        (needed.len(), others.len()),
        (30, 13),
        "{needed:?} {others:?}"
    );
    for name in others {
        let replaced = yaml(second, with_settings(&[(name, "x")]));
        let of_name = replaced
            .lines()
            .filter(|line| line.starts_with(&format!("{name}:")));
        assert_eq!(of_name.collect::<Vec<_>>(), [format!("{name}: x")]);
    }
}

#[test]
fn rights_are_checked_only_where_that_was_chosen() {
    for (checks_rights, line) in [
        (false, "\nauthorizer: AllowAllAuthorizer\n"),
        (true, "\nauthorizer: CassandraAuthorizer\n"),
    ] {
        let tuning = Tuning {
            checks_rights,
            ..Tuning::default()
        };
        let yaml = yaml(Node::default(), tuning);
        assert!(yaml.contains(line), "{yaml}");
        assert_eq!(yaml.matches("\nauthorizer: ").count(), 1);
    }
}

#[test]
fn each_of_several_nodes_is_in_a_datacenter_of_its_own_only_where_that_was_chosen() {
    let parent = tempfile::tempdir().unwrap();
    let folder = Folder::create(parent.path()).unwrap();
    let second = Node::all(2).nth(1).unwrap();
    let written = |node, own_datacenters| {
        let tuning = Tuning {
            own_datacenters,
            ..Tuning::default()
        };
        let chosen = Chosen {
            tuning: tuning.clone(),
            ..Chosen::default()
        };
        folder
            .write_configuration(node, PORTS, DiskAccess::Standard, &chosen)
            .unwrap();
        let yaml = std::fs::read_to_string(folder.yaml()).unwrap();
        assert_eq!(yaml.matches("\nendpoint_snitch: ").count(), 1, "{yaml}");
        let agent = std::path::Path::new("/jamm.jar");
        let flags = flags::server(&folder, agent, 512, PORTS, node, &tuning).unwrap();
        let property = "-Dcassandra-rackdc.properties=file://";
        let file = flags.into_iter().find(|flag| flag.starts_with(property));
        (yaml.contains("\nendpoint_snitch: SimpleSnitch\n"), file)
    };
    for (node, own_datacenters) in [(second, false), (Node::default(), true)] {
        assert_eq!(written(node, own_datacenters), (true, None));
        assert!(!folder.datacenter().exists());
    }
    let (is_simple, file) = written(second, true);
    assert!(!is_simple);
    assert!(file.unwrap().ends_with("/conf/datacenter.properties"));
    let text = std::fs::read_to_string(folder.datacenter()).unwrap();
    assert_eq!(text, "dc=dc2\nrack=rack1\n");
}
