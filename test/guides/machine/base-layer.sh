#!/bin/bash
# Makes the layer that all machines of the guides share: the packages are installed in it, and the
# user op may use sudo. $1 is a folder in memory, $2 the Node.js that runs $3, the packages are $4….
set -eu
home=$1 node=$2 remote=$3
shift 3
mkdir "$home/upper" "$home/work" "$home/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$home/upper,workdir=$home/work" "$home/root"
root=$home/root
mount -t proc proc "$root/proc"
mkdir -p "$root/opt/guide"
cp "$node" "$root/opt/guide/node"
cp "$remote" "$root/opt/guide/remote.mjs"
cp "$@" "$root/opt/guide/"
# Nothing starts while packages are installed here.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
# A machine of a guide begins without a server and its data.
chroot "$root" sh -c 'rm -rf /var/lib/zookeeper/version-2 && DEBIAN_FRONTEND=noninteractive dpkg -i /opt/guide/*.deb'
rm -f "$root/usr/sbin/policy-rc.d"
chroot "$root" useradd --create-home --shell /bin/bash op
echo 'op ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/op"
printf '#!/bin/sh\nexec /opt/guide/node /opt/guide/remote.mjs ssh "$@"\n' >"$root/usr/local/bin/ssh"
chmod 755 "$root/usr/local/bin/ssh"
units=$root/etc/systemd/system
# With udev, the machines would get one MAC address, because it follows from their common machine-id.
for unit in systemd-udevd.service systemd-udevd-control.socket systemd-udevd-kernel.socket \
  systemd-udev-trigger.service; do
  ln -s /dev/null "$units/$unit"
done
cat >"$units/guide.target" <<'END'
[Unit]
Requires=basic.target guide-remote.service
END
cat >"$units/guide-remote.service" <<'END'
[Service]
User=op
WorkingDirectory=~
Environment=NO_COLOR=1 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ExecStart=/opt/guide/node /opt/guide/remote.mjs serve
END
# Unpacks the programs once, for each user.
for user in root op zookeeper; do
  home_of_user=$(chroot "$root" getent passwd "$user" | cut -d: -f6)
  chroot "$root" runuser -u "$user" -- env HOME="$home_of_user" zkops --version >/dev/null
done
umount "$root/proc" "$root"
