#!/bin/sh
# Makes a private authority and certificates for an ensemble, as PEM files:
#
#   make-certificates.sh FOLDER NAME[,NAME…] …
#
# Each argument is one certificate: the first name is that of its file, and all names and addresses
# are valid in it. Existing files stay, so a later run adds a member or a client. Delete
# NAME.pem to renew it. Keep ca.key offline: it signs for the whole ensemble.
set -eu

CA_DAYS=3650
DAYS=825

usage() {
  echo 'usage: make-certificates.sh FOLDER NAME[,NAME…] …' >&2
  exit 2
}

fail() {
  echo "make-certificates.sh: $1" >&2
  exit 1
}

# "zk1,10.0.0.1" becomes "DNS:zk1,IP:10.0.0.1".
alternative_names() {
  echo "$1" | tr ',' '\n' | sed -e '/^[0-9.]*$/s/^/IP:/' -e '/:.*:/s/^/IP:/' -e '/^IP:/!s/^/DNS:/' |
    paste -sd, -
}

[ $# -ge 2 ] || usage
folder=$1
shift
command -v openssl >/dev/null || fail 'openssl: not found: install it first'
umask 077
mkdir -p "$folder"
cd "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ ! -e ca.pem ]; then
  openssl ecparam -name prime256v1 -genkey -noout -out ca.key
  openssl req -x509 -new -key ca.key -sha256 -days $CA_DAYS -subj '/CN=ZooKeeper CA' \
    -addext 'basicConstraints=critical,CA:TRUE' -addext 'keyUsage=critical,keyCertSign,cRLSign' \
    -out "$work/ca.pem"
  mv "$work/ca.pem" ca.pem
  echo "made ca.pem"
fi
[ -e ca.key ] || fail "ca.key: not found in $folder: copy it there to sign more certificates"

for names in "$@"; do
  first=${names%%,*}
  case $first in
    '' | */* | -* | ca) fail "$names: invalid name (expected a host or the name of a client)" ;;
  esac
  [ ! -e "$first.pem" ] || continue
  openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out "$work/key"
  openssl req -new -key "$work/key" -subj "/CN=$first" -out "$work/request"
  cat >"$work/extensions" <<END
basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=serverAuth,clientAuth
subjectAltName=$(alternative_names "$names")
END
  openssl x509 -req -in "$work/request" -CA ca.pem -CAkey ca.key -sha256 -days $DAYS \
    -set_serial "0x$(openssl rand -hex 16)" -extfile "$work/extensions" -out "$work/cert" 2>"$work/log" ||
    fail "$first: cannot sign: $(cat "$work/log")"
  # Certificate and key in one file, which appears whole.
  cat "$work/cert" "$work/key" >"$work/both"
  mv "$work/both" "$first.pem"
  echo "made $first.pem"
done
