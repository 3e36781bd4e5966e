"""The compose file and the manifests fit their schemas, and hang together with the program and with each other."""

import os
import re
import subprocess
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory

import kubernetes_validate
import pytest
import yaml
from compose_pydantic import ComposeSpecification
from pydantic import ValidationError

from hushwatt.provider.service.config import PREFIX, Config, read_config

DEPLOY = Path(__file__).parents[2] / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
MANIFESTS = list(yaml.safe_load_all((DEPLOY / "kubernetes" / "hushwatt.yaml").read_text()))
KUBERNETES = ("1.29", "1.37")  # the oldest and the newest that the manifests are for
PLAIN = {name: value for name, value in COMPOSE.items() if not name.startswith("x-")}  # extensions are anybody's own
SERVICES = [name for name in COMPOSE["services"] if name.startswith("hushwatt")]
SETTINGS = {PREFIX + field.name.upper() for field in fields(Config)}


def manifest(kind, name):
    return next(each for each in MANIFESTS if (each["kind"], each["metadata"]["name"]) == (kind, name))


def pod(kind, name):
    return manifest(kind, name)["spec"]["template"]["spec"]


def nobody():
    """Run as somebody who may not write to a file that is read-only; root may."""
    return {} if os.getuid() else {"user": 65534, "group": 65534, "extra_groups": ()}


def test_compose_fits_its_schema():
    """Every field is one of the compose specification, of its kind."""
    ComposeSpecification.model_validate(PLAIN)


@pytest.mark.parametrize(
    "planted",
    [
        {"imagee": "x"},
        {"ports": 80},
        {"depends_on": {"database": {"condition": "healthy"}}},
        {"healthcheck": {"retries": "many"}},
    ],
    ids=lambda planted: next(iter(planted)),
)
def test_a_wrong_field_of_compose_is_seen(planted):
    """A misspelt field, or one of another kind, does not fit."""
    wrong = {**PLAIN, "services": {**COMPOSE["services"], "proxy": {**COMPOSE["services"]["proxy"], **planted}}}

    with pytest.raises(ValidationError):
        ComposeSpecification.model_validate(wrong)


@pytest.mark.parametrize("version", KUBERNETES)
@pytest.mark.parametrize("number", range(len(MANIFESTS)), ids=lambda n: f"{MANIFESTS[n]['kind']}-{n}")
def test_manifests_fit_their_schemas(number, version):
    """Every manifest is one of Kubernetes' own kinds, with fields that this version has."""
    kubernetes_validate.validate(MANIFESTS[number], version, strict=True)


def test_a_wrong_field_of_a_manifest_is_seen():
    """A misspelt field does not fit."""
    wrong = {**manifest("PodDisruptionBudget", "hushwatt"), "spec": {"minAvailabel": 1}}

    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, KUBERNETES[-1], strict=True)


def test_several_services_share_one_store():
    """Two at least, behind one name, with one database, the same keys and settings that the program reads."""
    environments = [COMPOSE["services"][name]["environment"] for name in SERVICES]
    container = pod("Deployment", "hushwatt")["containers"][0]
    named = {each["name"]: each.get("value") for each in container["env"]}

    assert len(SERVICES) >= 2
    assert environments == environments[:1] * len(SERVICES)
    assert {tuple(COMPOSE["services"][name]["networks"]["default"]["aliases"]) for name in SERVICES} == {("hushwatt",)}
    assert manifest("Deployment", "hushwatt")["spec"]["replicas"] >= 2
    for environment in (environments[0], named):
        ours = {name: value for name, value in environment.items() if name.startswith(PREFIX)}
        settings = read_config(None, ours)
        assert set(ours) <= SETTINGS
        assert settings.store.startswith("postgresql://")
        assert settings.needs_token
        assert settings.needs_code
        assert settings.proxy


def test_compose_names_only_what_is_there():
    """Every network, volume, secret and file that a service uses is declared; every file of ours exists."""
    for kind in ("configs", "secrets"):
        used = {
            each if isinstance(each, str) else each["source"]
            for service in COMPOSE["services"].values()
            for each in service.get(kind, ())
        }
        assert used == set(COMPOSE[kind])
    volumes = {each.split(":")[0] for service in COMPOSE["services"].values() for each in service.get("volumes", ())}
    files = {each["file"].removeprefix("./") for each in COMPOSE["configs"].values()}
    proxy = COMPOSE["services"]["proxy"]["networks"]["default"]["ipv4_address"]

    assert volumes == set(COMPOSE["volumes"])
    assert {name for name in files if not (DEPLOY / name).is_file()} == {"plan.toml"}
    assert COMPOSE["x-service"]["environment"]["HUSHWATT_PROXY_ADDRESSES"] == proxy
    assert {name for name in SERVICES if f"server {name}:8040" in (DEPLOY / "nginx.conf").read_text()} == set(SERVICES)


def test_manifests_name_only_what_is_there():
    """Services select pods that exist, and volumes that are mounted are declared; ports have their names."""
    labels = [each["spec"]["template"]["metadata"]["labels"] for each in MANIFESTS if "template" in each["spec"]]
    selectors = [each["spec"]["selector"] for each in MANIFESTS if each["kind"] == "Service"]

    assert all(selector in labels for selector in selectors)
    for kind, name in (("Deployment", "hushwatt"), ("StatefulSet", "database")):
        spec = pod(kind, name)
        claims = manifest(kind, name)["spec"].get("volumeClaimTemplates", ())
        known = {each["name"] for each in spec.get("volumes", ())} | {each["metadata"]["name"] for each in claims}
        containers = [*spec.get("initContainers", ()), *spec["containers"]]
        assert {mount["name"] for each in containers for mount in each["volumeMounts"]} == known
    assert {each["metadata"]["namespace"] for each in MANIFESTS} == {"hushwatt"}


def test_what_is_taken_over_stays_small():
    """The service runs as nobody's friend: no root, no privileges, nothing to write to but its own folders."""
    composed, container = COMPOSE["x-service"], pod("Deployment", "hushwatt")["containers"][0]

    assert composed["read_only"]
    assert composed["cap_drop"] == ["ALL"]
    assert composed["security_opt"] == ["no-new-privileges:true"]
    assert pod("Deployment", "hushwatt")["securityContext"]["runAsNonRoot"]
    assert not pod("Deployment", "hushwatt")["automountServiceAccountToken"]
    assert container["securityContext"]["readOnlyRootFilesystem"]
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}


def test_kubernetes_sets_nothing_by_itself():
    """The variables that it makes of a service's name, HUSHWATT_PORT among them, are no settings of ours."""
    named = {f"{each['metadata']['name'].upper()}_PORT" for each in MANIFESTS if each["kind"] == "Service"}

    assert named & SETTINGS
    assert pod("Deployment", "hushwatt")["enableServiceLinks"] is False


def test_keys_are_copied_once_more_when_a_pod_starts_again():
    """A key that was never rotated has no history; the copy of before may not be written to, and is replaced."""
    copy = pod("Deployment", "hushwatt")["initContainers"][0]["command"][-1]
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        (folder / "keys").mkdir()
        (folder / "keys" / "provider.key").write_text("a key")
        (folder / "keys" / "provider.key").chmod(0o444)
        script = copy.replace("/keys/", f"{folder}/keys/").replace("/data/", f"{folder}/data/")
        for _ in range(2):
            subprocess.run(["sh", "-c", script], check=True, **nobody())

        assert [path.name for path in (folder / "data" / "store").iterdir()] == ["provider.key"]


def test_prometheus_asks_services_that_are_down():
    """Each by its name, also one that is gone or not ready, or nobody would miss it."""
    scrape = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())["scrape_configs"][0]

    assert scrape["static_configs"] == [{"targets": [f"{name}:8040" for name in SERVICES]}]
    assert manifest("Service", "hushwatt-each")["spec"]["publishNotReadyAddresses"]


def test_the_database_is_in_its_volume():
    """Wherever an image of PostgreSQL would keep its data by itself."""
    database = COMPOSE["services"]["database"]
    (_, folder) = database["volumes"][0].split(":")

    assert Path(database["environment"]["PGDATA"]).parent == Path(folder)
    assert pod("StatefulSet", "database")["containers"][0]["volumeMounts"][0]["mountPath"] == "/var/lib/postgresql/data"


def test_secrets_stay_out_of_images():
    """What stands beside the compose file does not get into what is built or committed."""
    for name in (".dockerignore", ".gitignore"):
        lines = {line.strip("/") for line in (DEPLOY.parent / name).read_text().splitlines()}
        assert {"deploy/secrets", "deploy/.env"} <= lines


def test_images_are_named_by_digest():
    """No image is taken by a name that may mean another tomorrow; compose asks for each."""
    images = [service["image"] for service in COMPOSE["services"].values()]
    pods = [pod("Deployment", "hushwatt"), pod("StatefulSet", "database")]
    kubernetes = [each["image"] for spec in pods for each in (*spec.get("initContainers", ()), *spec["containers"])]

    assert all(re.match(r"\$\{\w+:\?", image) for image in images)
    assert all(re.search(r"@sha256:0{64}$", image) for image in kubernetes)


def test_no_log_tells_when_a_home_reported():
    """Both proxies keep no access log, and hand an upload on when a service dies."""
    ingress = manifest("Ingress", "hushwatt")["metadata"]["annotations"]

    assert "error_log stderr alert;" in (DEPLOY / "nginx.conf").read_text()
    assert "access_log off;" in (DEPLOY / "nginx.conf").read_text()
    assert ingress["nginx.ingress.kubernetes.io/enable-access-log"] == "false"
    assert "non_idempotent" in ingress["nginx.ingress.kubernetes.io/proxy-next-upstream"]
