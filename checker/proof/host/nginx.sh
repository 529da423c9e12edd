#!/bin/bash
# Runs classroom/host/nginx.conf with a real nginx and two servers on this machine, and checks what goes through: pages, checks,
# the addresses of clients, what isn't published, and a server that is killed while the other one answers.
#
#     checker/proof/host/nginx.sh CHECKER [NGINX]
set -euo pipefail
checker=$(realpath "$1")
nginx=${2:-nginx}
root=$(realpath "$(dirname "$0")/../../..")
work=$(mktemp -d)
children=()
trap 'for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done; wait || true; rm -rf "$work"' EXIT

# The example, as an ordinary user and with a certificate of its own.
openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=cuda.example.edu -keyout "$work/key" -out "$work/pem" 2>/dev/null
{
    echo "daemon off; worker_processes 1; pid $work/pid; error_log $work/error.log;"
    echo "events { worker_connections 256; }"
    echo "http { access_log off;"
    for part in client_body proxy fastcgi uwsgi scgi; do echo "${part}_temp_path $work/$part;"; done
    sed -e "s|listen 443 ssl|listen 127.0.0.1:8443 ssl|" -e "s|127.0.0.1:8080|127.0.0.1:8180|" \
        -e "s|# server 127.0.0.1:8081|server 127.0.0.1:8181|" -e "s|/etc/ssl/cuda.example.edu.pem|$work/pem|" \
        -e "s|/etc/ssl/private/cuda.example.edu.key|$work/key|" "$root/classroom/host/nginx.conf"
    echo "}"
} > "$work/nginx.conf"
cd "$work"
options=(--origin https://cuda.example.edu --base-path /cuda --trusted-proxy 127.0.0.1 --rate 1 --burst 6)
for port in 8180 8181; do
    "$checker" host --bind "127.0.0.1:$port" "${options[@]}" > "$work/$port.out" 2> "$work/$port.log" &
    children+=($!)
done
"$nginx" -p "$work" -c "$work/nginx.conf" -e "$work/error.log" &
children+=($!)
for port in 8180 8181; do
    until curl -sf -o /dev/null "http://127.0.0.1:$port/healthz"; do sleep 0.1; done
done

# Requests as browsers send them. The name leads to this machine, and the clients' address isn't that of the proxy.
ask() { curl -sk --max-time 60 --interface 127.0.0.2 --connect-to cuda.example.edu:443:127.0.0.1:8443 "$@"; }
status() { ask -o "$work/body" -w '%{http_code}' "$@"; }
expect() {
    if [ "$2" != "$3" ]; then
        echo "FAILED: $1: $2, expected $3"
        cat "$work/body" "$work/error.log" 2>/dev/null | tail -20
        exit 1
    fi
    echo "ok  $1"
}
check() {
    python3 -c 'import json, sys; print(json.dumps({"source": f"// {sys.argv[2]}\n" + open(sys.argv[1]).read()}))' \
        "$root/solutions/ch01_threads/guard.cu" "$1" > "$work/request"
    status -H "Origin: ${2:-https://cuda.example.edu}" --data-binary "@$work/request" \
        https://cuda.example.edu/cuda/live/exercises/guard/check
}

expect "a page" "$(status https://cuda.example.edu/cuda/ch01_threads/guard.html)" 200
expect "the path without its slash" "$(status https://cuda.example.edu/cuda)" 308
expect "metrics are not published" "$(status https://cuda.example.edu/metrics)" 404
expect "a check" "$(check one)" 200
grep -q '"passed":true' "$work/body" && expect "its verdict" passed passed
expect "another site's page" "$(check two https://evil.example)" 403
expect "a large body" "$(head -c 400000 /dev/zero | status -H 'Origin: https://cuda.example.edu' --data-binary @- https://cuda.example.edu/cuda/live/exercises/guard/check)" 413
kill -9 "${children[0]}"
wait "${children[0]}" 2>/dev/null || true
for number in 3 4 5; do expect "a check while a server is dead" "$(check "dead $number")" 200; done
# Each server has its own buckets, so now the rate of this address is used up on the one that is left.
until [ "$(check "many $RANDOM")" = 429 ]; do :; done
expect "a client above its rate, although it names another one" \
    "$(status -H 'X-Forwarded-For: 203.0.113.5' -H 'Origin: https://cuda.example.edu' --data-binary '{"source":"x"}' https://cuda.example.edu/cuda/live/exercises/guard/check)" 429
grep -q ' 127.0.0.2 POST /cuda/live/exercises/guard/check 200 ran' "$work/8181.log" && expect "the log" written written
