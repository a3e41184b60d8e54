#!/bin/sh
# The page in a real browser. Looks for Chromium, installs Debian's where that is possible, and says why it skips elsewhere.
# A machine without a browser fails nothing; a browser that finds a fault does.
bin=$1
skip() { echo "test-web: skipped, $1"; exit 0; }

find_browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }

if [ -z "$(find_browser)" ]; then
  [ -n "$REVERIE_NO_BROWSER" ] && skip "REVERIE_NO_BROWSER is set"
  command -v apt-get >/dev/null || skip "there is no Chromium and no apt-get to install it"
  [ "$(id -u)" = 0 ] || skip "there is no Chromium, and only root may install it (apt-get install chromium)"
  echo "test-web: installing Chromium (once; a few minutes)"
  { timeout 60 apt-get update -qq && timeout 150 apt-get install -y -qq --no-install-recommends chromium fonts-noto-cjk; } >/dev/null 2>&1 \
    || skip "apt-get could not install Chromium"
fi
"$bin/python" -c 'import playwright' 2>/dev/null \
  || "$bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/browser.txt >/dev/null 2>&1 \
  || skip "playwright could not be installed"

REVERIE_BROWSER=$(find_browser) exec "$bin/python" -m pytest -q tests/web -p no:xdist
