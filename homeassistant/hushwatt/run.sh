#!/bin/sh
# Start the agent as a Home Assistant app: the ledger lies in /data, your files in /config.
set -eu
umask 077
data=${HUSHWATT_APP_DATA:-/data}
config=${HUSHWATT_APP_CONFIG:-/config}
export HUSHWATT_HOME="$data/home"
mkdir -p "$HUSHWATT_HOME"
chmod 700 "$HUSHWATT_HOME"

say() { echo "hushwatt: $1"; }
option() { jq -r --arg name "$1" '.[$name] // empty' "$data/options.json"; }

# What the Supervisor says about its broker; asked again while it is not there yet.
broker() {
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
        if curl -fsS -m 10 -H "Authorization: Bearer ${SUPERVISOR_TOKEN:-}" http://supervisor/services/mqtt; then
            return 0
        fi
        sleep 5
    done
    return 1
}

# The broker's lines of sources.toml, or nothing when the answer does not hold them.
sources() {
    jq -r '.data | select((.host | type) == "string" and (.port | type) == "number")
        | "entities = true", "[mqtt]", "host = \(.host | tojson)", "port = \(.port)",
          (select(.username) | "username = \(.username | tojson)"),
          (select(.password) | "password = \(.password | tojson)")'
}

# Your own file counts. Without one your caps are those of the options, as long as there are or were any.
ours="# from the options of the app"
caps=$(jq -r '.caps // [] | .[]' "$data/options.json")
if [ -f "$config/caps.toml" ]; then
    cp "$config/caps.toml" "$HUSHWATT_HOME/caps.toml"
elif [ -n "$caps" ] || grep -qsxF "$ours" "$HUSHWATT_HOME/caps.toml"; then
    printf '%s\n%s\n' "$ours" "$caps" >"$HUSHWATT_HOME/caps.toml.new"
    mv "$HUSHWATT_HOME/caps.toml.new" "$HUSHWATT_HOME/caps.toml"
fi

# Your own file counts. Without one the broker is Home Assistant's, asked for at every start, as its
# password may change; what was learnt before stays when the Supervisor does not answer.
if [ -f "$config/sources.toml" ]; then
    cp "$config/sources.toml" "$HUSHWATT_HOME/sources.toml"
else
    answer=$(broker) || answer=""
    lines=$(printf '%s' "$answer" | sources) || lines=""
    if [ -n "$lines" ]; then
        printf '%s\n' "$lines" >"$HUSHWATT_HOME/sources.toml.new"
        mv "$HUSHWATT_HOME/sources.toml.new" "$HUSHWATT_HOME/sources.toml"
    else
        say "Home Assistant does not say where its broker is; write sources.toml, or start this app again later"
        [ -s "$HUSHWATT_HOME/sources.toml" ] || rm -f "$HUSHWATT_HOME/sources.toml"
    fi
fi
chmod 600 "$HUSHWATT_HOME"/*.toml 2>/dev/null || true

provider=$(option provider)
plan=$(option plan)
code=$(option code)
agree=$(option agree)

# jq versions differ in what `-e` says of no input at all, so the answer itself is looked at.
joined=0
retired=0
if status=$(hushwatt household status --json 2>/dev/null); then
    joined=$(printf '%s' "$status" | jq -r '[.plans[]? | select(.state == "taking part" or .state == "paused")] | length')
    retired=$(printf '%s' "$status" | jq -r '[.plans[]? | select(.state == "retired")] | length')
elif [ -e "$data/agreed" ]; then
    joined=unknown
fi

# Consent is to the plan whose terms a start with agree off has shown. When it is over, the home has left or
# retired, or the provider offers another one, a start asks again. A home that has retired still sends what waits.
if [ "${joined:-0}" = 0 ]; then
    [ "$agree" = "true" ] || rm -f "$data/agreed" "$data/shown"
    offered=""
    if [ -n "$provider" ]; then
        hushwatt household join "$provider" ${plan:+--plan "$plan"} </dev/null >"$data/terms" || true
        cat "$data/terms"
        offered=$(sed -n 's/^plan  *\([0-9a-f]\{64\}\)$/\1/p' "$data/terms")
    fi
    shown=$(cat "$data/shown" 2>/dev/null) || shown=""
    again="read these terms, start once with agree off, then switch it on again"
    if [ -e "$data/agreed" ]; then
        say "what you agreed to is over: $again"
    elif [ -z "$provider" ] || [ "$agree" != "true" ]; then
        say "write the provider's address in the options; read the terms in this log, then switch agree on"
        [ -z "$offered" ] || echo "$offered" >"$data/shown"
    elif [ -z "$shown" ]; then
        say "not joined, as the terms were not shown before: $again"
    elif [ -n "$offered" ] && [ "$offered" != "$shown" ]; then
        say "not joined, as the provider offers plan $offered, and you were shown $shown: $again"
    else
        hushwatt household join "$provider" --plan "$shown" ${code:+--code "$code"} --yes
        joined=1
    fi
    [ "${joined:-0}" = 1 ] || [ "${retired:-0}" != 0 ] || exec sleep infinity
fi
[ "${joined:-0}" = 0 ] || touch "$data/agreed"

exec hushwatt household run --page-host 0.0.0.0 --page-port 8041 --page-guest 172.30.32.2
