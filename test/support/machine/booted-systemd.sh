#!/bin/bash
# Boots systemd as the first process of namespaces of its own, on a copy of / in memory, and runs the
# script $3 there. Its output is in $1/out. $2 is the folder of the project.
set -eu
home=$1 project=$2 script=$3
mkdir -p "$home/disk"
mount -t tmpfs tmpfs "$home/disk"
root=$home/disk/root
mkdir "$home/disk/upper" "$home/disk/work" "$root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$home/disk/upper,workdir=$home/disk/work" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t tmpfs -o mode=755 tmpfs "$root/sys/fs/cgroup"
mkdir "$root/sys/fs/cgroup/systemd"
mount -t cgroup -o none,name=systemd cgroup "$root/sys/fs/cgroup/systemd" ||
  mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
for folder in run tmp; do mount -t tmpfs tmpfs "$root/$folder"; done
mount --rbind /dev "$root/dev"
# The units may not see /home, /root, and /tmp.
mkdir -p "$root/opt/zksh" "$root/opt/out"
mount --bind "$project" "$root/opt/zksh"
mount --bind "$home" "$root/opt/out"
for name in zksh zkops zkserver; do
  printf '#!/bin/sh\nexec "%s" /opt/zksh/dist/bin/%s.cjs "$@"\n' "$NODE" "$name" >"$root/usr/bin/$name"
  chmod 755 "$root/usr/bin/$name"
done
cp "$project"/deploy/systemd/*.service "$root/etc/systemd/system/"
cp "$script" "$root/try.sh"
cat >"$root/etc/systemd/system/try.service" <<'END'
[Unit]
SuccessAction=exit-force
FailureAction=exit-force
[Service]
Type=oneshot
ExecStart=/bin/bash -e /try.sh
StandardOutput=file:/opt/out/out
StandardError=file:/opt/out/out
END
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  chroot "$root" /lib/systemd/systemd --system --unit=try.service --log-level=err
