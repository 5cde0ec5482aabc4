# Drives a headless Chromium through chromedriver's WebDriver interface, to be sourced after
# support.sh. Where there is none the test is skipped, which it says.
#   browser_start           needs chromium, chromedriver and curl
#   browser_open FILE       loads it from the disk
#   browser_do SCRIPT       runs JavaScript; what it returns is printed (texts as they are)
#   browser_log TYPE        "browser" (the console) or "performance" (network events), as JSON
# shellcheck shell=bash
: "${work:?of support.sh}" "${lua:?of support.sh}"

browser_first() {
  local name
  for name in "$@"; do
    if command -v "$name"; then
      return
    fi
  done
  return 1
}

# Exit code 77 is "skipped" for CTest.
browser_start() {
  local chromium
  if ! chromium=$(browser_first chromium chromium-browser google-chrome) ||
    ! command -v chromedriver >/dev/null || ! command -v curl >/dev/null; then
    echo "SKIPPED: no headless browser here (Debian packages: chromium chromium-driver curl)"
    exit 77
  fi
  chromedriver --port=0 >"$work/driver.log" 2>&1 &
  driver=$!
  trap 'browser_stop; rm -rf "$work"' EXIT
  for _ in $(seq 1200); do
    port=$(sed -n 's/.*started successfully on port \([0-9]*\).*/\1/p' "$work/driver.log")
    [[ -z $port ]] || break
    sleep 0.1
  done
  mkdir -p "$work/profile"
  session=$(browser_send POST "" "{\"capabilities\": {\"alwaysMatch\": {\"browserName\": \"chrome\",
    \"goog:loggingPrefs\": {\"browser\": \"ALL\", \"performance\": \"ALL\"},
    \"goog:chromeOptions\": {\"binary\": \"$chromium\", \"args\": [\"--headless=new\",
      \"--no-sandbox\", \"--disable-gpu\", \"--disable-dev-shm-usage\", \"--no-first-run\",
      \"--window-size=1280,900\", \"--user-data-dir=$work/profile\"]}}}}" |
    sed -n 's/.*"sessionId":"\([^"]*\)".*/\1/p')
  if [[ -z $session ]]; then
    echo "SKIPPED: the browser does not start here: $(tail -n 3 "$work/driver.log")"
    exit 77
  fi
}

browser_stop() {
  if [[ -n ${session-} ]]; then
    browser_send DELETE "/$session" >/dev/null
  fi
  kill "$driver" 2>/dev/null
  wait "$driver" 2>/dev/null
}

# browser_send METHOD PATH [BODY]
browser_send() {
  local body=()
  if [[ $# -gt 2 ]]; then
    body=(--data-binary @- -H 'Content-Type: application/json')
  fi
  curl --silent --noproxy '*' --max-time 60 -X "$1" "${body[@]}" \
    "http://127.0.0.1:$port/session$2" <<<"${3-}"
}

# The text as JSON writes it.
browser_quote() {
  local text=${1//\\/\\\\}
  text=${text//\"/\\\"}
  printf '"%s"' "${text//$'\n'/\\n}"
}

browser_open() {
  browser_send POST "/$session/url" "{\"url\": \"file://$1\"}" >/dev/null
}

browser_do() {
  browser_send POST "/$session/execute/sync" "{\"script\": $(browser_quote "$1"), \"args\": []}" |
    "${lua[@]}" -e 'local json = require "json"
      local value = json.read(io.read "a").value
      print(type(value) == "table" and (value.message or "a table") or tostring(value))'
}

browser_log() {
  browser_send POST "/$session/se/log" "{\"type\": \"$1\"}"
}

# browser_protocol COMMAND PARAMETERS: of the DevTools protocol.
browser_protocol() {
  browser_send POST "/$session/goog/cdp/execute" "{\"cmd\": \"$1\", \"params\": $2}"
}
