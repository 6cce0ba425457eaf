#!/bin/bash
# Boots a machine for the guides: systemd as the first process of namespaces of its own, on a copy in
# memory of / and of the layer in $BASE, with the unprivileged user op. $1 is its name, $2 a folder of
# it, $3 the name of its cgroup. Runs in the network namespace of the machine.
set -eu
name=$1 home=$2 group=$3
if [ "${STAGE:-1}" = 1 ]; then
  # Each systemd needs a cgroup of its own, which it sees as the root.
  groups=$home/groups
  mkdir -p "$groups"
  mount -t cgroup2 cgroup2 "$groups"
  mkdir -p "$groups/$group"
  echo $$ >"$groups/$group/cgroup.procs"
  export STAGE=2
  exec unshare --fork --kill-child -m -p -C -u -i --mount-proc bash "$0" "$@"
fi
disk=$home/disk root=$home/disk/root
mkdir -p "$disk"
mount -t tmpfs tmpfs "$disk"
mkdir "$disk/upper" "$disk/work" "$root"
mount -t overlay overlay -o "lowerdir=$BASE:/,upperdir=$disk/upper,workdir=$disk/work" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
for folder in run tmp var/tmp; do mount -t tmpfs -o mode=1777 tmpfs "$root/$folder"; done
chmod 755 "$root/run"
mount --rbind /dev "$root/dev"
echo "$name" >"$root/etc/hostname"
cp "$home/../hosts" "$root/etc/hosts"
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  chroot "$root" /lib/systemd/systemd --system --unit=guide.target --log-level=err
