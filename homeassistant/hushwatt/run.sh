#!/bin/sh
# Start the agent as a Home Assistant app: the ledger lies in /data, your files in /config.
set -eu
export HUSHWATT_HOME=/data/home
mkdir -p "$HUSHWATT_HOME"

option() { jq -r --arg name "$1" '.[$name] // empty' /data/options.json; }

for file in sources.toml caps.toml; do
    [ ! -f "/config/$file" ] || cp "/config/$file" "$HUSHWATT_HOME/$file"
done

# Without a file of your own, the broker is Home Assistant's.
if [ ! -f "$HUSHWATT_HOME/sources.toml" ]; then
    curl -fsS -H "Authorization: Bearer $SUPERVISOR_TOKEN" http://supervisor/services/mqtt |
        jq -r '.data | "entities = true\n[mqtt]\nhost = \(.host | tojson)\nport = \(.port)",
            "username = \(.username | tojson)\npassword = \(.password | tojson)"' >"$HUSHWATT_HOME/sources.toml" || rm -f "$HUSHWATT_HOME/sources.toml"
fi

provider=$(option provider)
plan=$(option plan)
code=$(option code)

if ! hushwatt household status --json 2>/dev/null | jq -e '.plans | any(.state == "taking part" or .state == "paused")' >/dev/null; then
    if [ -z "$provider" ] || [ "$(option agree)" != "true" ]; then
        echo "hushwatt: write the provider's address in the options; read the terms in this log, then switch agree on"
        [ -z "$provider" ] || hushwatt household join "$provider" ${plan:+--plan "$plan"} </dev/null || true
        exec sleep infinity
    fi
    hushwatt household join "$provider" ${plan:+--plan "$plan"} ${code:+--code "$code"} --yes
fi

exec hushwatt household run --page-host 0.0.0.0 --page-port 8041 --page-guest 172.30.32.2
