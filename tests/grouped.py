"""Which test covers a module that has no test of its own name, and which tests are about several modules.

`tests/test_mirror.py` says when a line is missing, or is not needed any more.
"""

from pathlib import Path

# The test, and the modules that it covers together.
GROUPED = {
    "audit/attacks/test_empirical.py": "privacy/promise",
    "audit/harness/test_buckets.py": """
        audit/harness/expect audit/harness/plans audit/harness/raw_connection
        audit/harness/service_process
    """,
    "audit/harness/test_plan_home.py": """
        audit/harness/fake_provider audit/harness/lives audit/harness/machine_clock
    """,
    "audit/harness/test_true_time_recorder.py": "audit/harness/home_under_test audit/harness/released",
    "audit/leaks/test_canary.py": "audit/leaks/traces",
    "audit/statement/test_statement.py": """
        audit/statement/guarantee audit/statement/impact audit/statement/limits
        audit/statement/long_term audit/statement/mechanism audit/statement/proof
        audit/statement/registry audit/statement/risks
    """,
    "audit/test_claims.py": "audit/suites",
    "audit/test_page.py": "audit/page_words privacy/promise_words",
    "chaos/provider/test_power_loss.py": """
        audit/harness/concurrent_client audit/harness/in_process_client audit/harness/local_service
    """,
    "chaos/test_run.py": "chaos/scenario",
    "chaos/test_scenarios.py": """
        audit/harness/fault_injecting_disk audit/harness/notes audit/harness/observed_life
        chaos/home/broken_disk chaos/home/foreign_answers chaos/home/foreign_messages
        chaos/home/hostile_plans chaos/home/impostors chaos/home/kill_agent chaos/home/ordinary_reboot
        chaos/home/power_loss chaos/home/restored_ledger chaos/home/swapped_server chaos/home/wild_clock
        chaos/mutations chaos/provider/broken_disk chaos/provider/doors chaos/provider/erased_homes
        chaos/provider/exactly_once chaos/provider/foreign_files chaos/provider/forged_uploads
        chaos/provider/hostile_requests chaos/provider/kill_collector chaos/provider/labelled_homes
        chaos/provider/published_once
        chaos/provider/restored_backups chaos/provider/slow_clients chaos/provider/turns
    """,
    "cli/doctor/test_clock.py": "cli/doctor/check",
    "cli/household/test_household.py": """
        cli/household/leaving_text cli/household/options household/words/agreement
    """,
    "cli/household/test_owner_text.py": "household/report/preview",
    "cli/household/test_sources.py": "cli/household/choose_sources",
    "cli/plan/test_advise.py": "cli/plan/advice_text",
    "cli/provider/test_provider.py": """
        cli/provider/backup cli/provider/keys cli/provider/serve cli/provider/store_options
        provider/service/folder
    """,
    "cli/test_tables.py": "cli/demo cli/provider/deliveries cli/provider/erase cli/provider/import_export",
    "cli/test_terminal.py": "evaluate/simulate",
    "evaluate/generators/test_augment.py": "evaluate/generators/streams",
    "evaluate/test_baselines.py": """
        evaluate/baselines/baseline evaluate/baselines/exponential evaluate/baselines/gamma
        evaluate/baselines/gaussian evaluate/baselines/geometric evaluate/baselines/laplace
        evaluate/baselines/randomised_totals evaluate/baselines/rappor
    """,
    "evaluate/test_datasets_native.py": """
        evaluate/datasets/appliance_names evaluate/datasets/card evaluate/datasets/csv_rows
        evaluate/datasets/eco evaluate/datasets/ideal evaluate/datasets/opsd evaluate/datasets/refit
        evaluate/datasets/tracebase evaluate/datasets/ukdale
    """,
    "evaluate/test_datasets_nilmtk.py": "evaluate/datasets/nilmtk evaluate/datasets/plain_pickle",
    "evaluate/test_datasets_real.py": """
        evaluate/datasets evaluate/datasets/dataset evaluate/readings_file
    """,
    "evaluate/test_datasets_tidy.py": """
        evaluate/datasets/arrays evaluate/datasets/convert evaluate/datasets/tidy
    """,
    "evaluate/test_datasets_zero_order_hold.py": """
        evaluate/datasets/time_grid evaluate/datasets/zero_order_hold
    """,
    "evaluate/test_demo.py": """
        evaluate/demo/folder evaluate/demo/homes evaluate/demo/page evaluate/demo/rehearsal
        evaluate/demo/server
    """,
    "evaluate/test_experiments.py": """
        evaluate/experiments/accuracy evaluate/experiments/columns evaluate/experiments/experiment
        evaluate/experiments/homes evaluate/experiments/level_counts evaluate/experiments/over_time
        evaluate/experiments/peeking_loss evaluate/experiments/top
    """,
    "evaluate/test_generators.py": """
        evaluate/generators/appliance_facts evaluate/generators/daily evaluate/generators/distributions
        evaluate/generators/habits evaluate/generators/home_generator evaluate/generators/ideal
        evaluate/generators/invented_homes evaluate/generators/paper_homes
    """,
    "evaluate/test_page.py": "evaluate/figures evaluate/reproduce evaluate/result_tables",
    "evaluate/experiments/test_questions.py": "evaluate/experiments/question_homes",
    "evaluate/test_paper_mechanism.py": "evaluate/experiments/findings evaluate/paper_numbers",
    "fleet/readings/test_files.py": "fleet/readings/columns fleet/readings/csv_file",
    "fleet/readings/test_partitions.py": "fleet/assemble fleet/fleet",
    "fleet/readings/test_readings.py": """
        fleet/readings/index_pass fleet/readings/parquet_file fleet/readings/run_lengths
        fleet/readings/slot_histogram fleet/readings/value_pass
    """,
    "fleet/test_aggregate.py": "fleet/aggregate_draws fleet/aggregate_turns",
    "fleet/test_dataframes.py": """
        fleet/dataframe_kinds wire/arrow_tables wire/reports/report_table
    """,
    "fleet/test_randomise.py": "cli/randomise fleet/state fleet/state_charges fleet/state_columns",
    "fleet/test_result.py": "fleet/result_rows fleet/selection",
    "household/ledger/test_monotonic_clock.py": "household/ledger/high_water_mark household/status",
    "household/mqtt_entities/test_publisher.py": "household/guard",
    "household/page/test_render.py": "household/page/act household/page/data",
    "household/page/test_requests.py": "household/page/reports",
    "household/page/test_view.py": "household/page/html",
    "household/sources/test_candidate.py": "household/sources/toml_words",
    "household/sources/test_presets.py": """
        household/sources/json_path household/sources/measurement household/sources/presets/custom
        household/sources/presets/dsmr household/sources/presets/esphome household/sources/presets/glow
        household/sources/presets/preset household/sources/presets/shelly
        household/sources/presets/shelly_gen1 household/sources/presets/tasmota
        household/sources/presets/zigbee2mqtt
    """,
    "household/sources/test_slot_edges.py": "household/clock household/sources/slot_energy",
    "household/sources/test_table.py": "household/sources/csv_tail",
    "household/test_agent.py": "household/ledger/plan_ledger household/log_once",
    "household/test_join.py": "household/leave",
    "household/test_run.py": "household/upload/upload_thread",
    "household/test_shown.py": """
        household/page/last_report household/page/numbers household/page/plan_page
        household/words/consent_text
    """,
    "household/upload/test_acknowledged.py": "household/upload/backoff",
    "household/upload/test_http.py": "household/upload/timed_socket",
    "privacy/advice/test_detect.py": "privacy/advice/compared_slots",
    "privacy/advice/test_advise.py": """
        privacy/advice/answered privacy/advice/candidate privacy/advice/expected
        privacy/advice/level_choice
    """,
    "privacy/test_cohorts.py": "privacy/strategies/columns",
    "privacy/test_dearest.py": "privacy/strategies/strategy",
    "privacy/test_laws.py": "privacy/laws/direct privacy/laws/law privacy/laws/unary",
    "privacy/test_strategies.py": """
        privacy/strategies/absorb privacy/strategies/caps privacy/strategies/cohorts
        privacy/strategies/distribute privacy/strategies/home_strategies privacy/strategies/population
        privacy/strategies/sample privacy/strategies/table privacy/strategies/uniform
    """,
    "provider/api/test_access.py": "provider/store/logins",
    "provider/api/test_connection.py": "provider/serve",
    "provider/dashboard/test_flow.py": """
        provider/dashboard/charts/small_multiples provider/dashboard/command_line provider/dashboard/compared
        provider/dashboard/day_parts provider/dashboard/time_marks provider/dashboard/views/compare
        provider/dashboard/views/profile provider/dashboard/views/totals
    """,
    "provider/dashboard/test_groups.py": "provider/dashboard/views/groups",
    "provider/dashboard/test_numbers_shown.py": "provider/dashboard/plan_promise",
    "provider/dashboard/test_pages.py": """
        provider/dashboard/assets provider/dashboard/charts/count_chart provider/dashboard/charts/figure
        provider/dashboard/charts/heatmap provider/dashboard/charts/interval_charts
        provider/dashboard/charts/line_chart provider/dashboard/login provider/dashboard/renderer
        provider/dashboard/routes provider/dashboard/tables provider/dashboard/views
        provider/dashboard/views/collection provider/dashboard/views/levels
        provider/dashboard/views/overview provider/dashboard/views/plan provider/dashboard/views/series
        provider/dashboard/views/shares provider/dashboard/views/times provider/dashboard/views/top
    """,
    "provider/dashboard/test_zones_shown.py": """
        provider/dashboard/formatting provider/dashboard/page_context provider/dashboard/page_layout
        provider/dashboard/query
    """,
    "provider/estimate/contrasts/test_contrast.py": """
        provider/estimate/contrasts/contrast_document provider/estimate/ranking/common_homes
    """,
    "provider/estimate/homes_above/test_homes_above.py": """
        provider/estimate/homes_above/above_document
        provider/estimate/homes_above/level_shares
    """,
    "provider/estimate/test_caveats.py": "provider/estimate/results",
    "provider/estimate/test_estimate.py": """
        provider/estimate/influence provider/estimate/slot_estimates provider/estimate/smoothing/smoothed_estimates
    """,
    "provider/estimate/totals/test_totals.py": """
        provider/estimate/totals/board provider/estimate/totals/totals_document
    """,
    "provider/intake/test_ingest.py": "provider/intake/delivery",
    "provider/intake/test_take_back.py": "provider/store/deliveries provider/store/rotations",
    "provider/operations/test_gauges.py": "provider/operations/certificate provider/operations/gateways",
    "provider/store/test_postgres.py": "provider/store/postgres_bytes provider/store/postgres_partitions",
    "provider/store/test_sqlite.py": "provider/store/enrolment provider/store/schema",
    "provider/tally/engines/test_arrow_tally.py": "provider/tally/file_rotations",
    "provider/tally/engines/test_spark.py": "provider/tally/engines/spark_pieces provider/tally/engines/spark_rows",
    "provider/tally/engines/test_spark_errors.py": "provider/tally/engines/spark_files",
    "provider/tally/test_tally.py": "provider/tally/engines provider/tally/engines/spark_session",
    "provider/test_api.py": """
        provider/api/health provider/api/middleware provider/api/openapi provider/api/plans
        provider/api/problems provider/api/rate_limit provider/api/request_head provider/api/signed
        provider/api/upload provider/app provider/clock provider/store/access_tokens
        provider/store/enrolment_codes
    """,
    "provider/intake/test_spark_stream.py": "cli/provider/stream",
    "provider/service/test_watch.py": "cli/provider/watch",
    "provider/service/test_answer_cache.py": "provider/service/published_tallies",
    "provider/test_chaos.py": "provider/store/tallies",
    "provider/test_durable.py": "provider/store/session",
    "provider/test_published.py": "provider/counted_histogram provider/metrics provider/service/collection_reader",
    "provider/store/reports/test_compaction.py": "provider/store provider/store/plans provider/store/slots",
    "provider/test_telemetry.py": "provider/opentelemetry",
    "wire/reports/test_external_sort.py": "wire/reports/schema",
    "wire/reports/test_reader.py": "wire/reports/report_file wire/reports/rows wire/reports/writer",
    "wire/storage/test_object_file.py": "wire/storage/seekable",
    "wire/storage/test_object_path.py": "wire/storage/filesystems",
    "wire/test_payload.py": "wire/row_error",
}

# Tests of a promise that no module keeps alone.
ACROSS = {
    "chaos/test_broken_disks.py",
    "chaos/test_dangers.py",
    "chaos/test_foreign_dangers.py",
    "chaos/test_provider_dangers.py",
    "custom_component/test_asking_again.py",
    "custom_component/test_joining.py",
    "custom_component/test_leaving.py",
    "custom_component/test_living.py",
    "custom_component/test_options.py",
    "custom_component/test_panel.py",
    "fleet/test_edges.py",
    "fleet/test_long_windows.py",
    "provider/estimate/contrasts/test_kinds_of_homes.py",
    "fleet/test_older_states.py",
    "home_assistant/test_agent_beside.py",
    "home_assistant/test_integration.py",
    "home_assistant/test_mqtt.py",
    "home_assistant/test_mqtt_entities.py",
    "home_assistant/test_source.py",
    "household/page/test_browser.py",
    "household/results/test_same_bytes.py",
    "household/sources/test_replay.py",
    "household/test_coming_back.py",
    "household/test_earlier_homes.py",
    "household/test_mains.py",
    "household/test_rotation.py",
    "household/upload/test_pinned_key.py",
    "plan/test_hostile.py",
    "privacy/test_caps.py",
    "provider/dashboard/test_browser.py",
    "provider/estimate/test_publish.py",
    "provider/test_addresses.py",
    "provider/operations/test_alert_rules.py",
    "provider/operations/test_alerts.py",
    "provider/operations/test_store_away.py",
    "provider/test_hostile.py",
    "provider/test_labelled_doors.py",
    "provider/test_rotation_doors.py",
    "provider/test_second_time.py",
    "provider/test_several_services.py",
    "provider/test_two_plans.py",
}


def covering_test(module: str) -> str | None:
    """The test file of a module such as `plan/calendar`, if it has one."""
    folder, _, name = module.rpartition("/")
    mirror = f"{folder}/test_{name}.py".lstrip("/")
    if (Path(__file__).parent / mirror).exists():
        return mirror
    return next((test for test, names in GROUPED.items() if module in names.split()), None)
