# Packages that are unpacked into a folder, not installed: for other systems and other processors. To be
# sourced. They come from the mirrors that apt uses here, checked by Debian's keys; needs no root and changes
# no setting.

debian_keyring=/usr/share/keyrings/debian-archive-keyring.gpg

mirrors() {  # "URI suite" of Debian's own suites that this machine uses
  apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(CODENAME)' 'Created-By: Packages' \
    | awk '$1 == "Debian" { print $2, $3 }'
}

need_mirrors() {  # need_mirrors WHO: stops where there is none
  if [[ -n "$(mirrors)" ]]; then return; fi
  echo "$1: apt knows no mirror of Debian here; run apt-get update first" >&2
  exit 1
}

# An apt of its own, with another list of mirrors: sets the array `apt`.
prepare_apt() {  # prepare_apt FOLDER ARCHITECTURE LINE...: its folder, its processor, its list
  local state="$1"
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
  printf '%s\n' "${@:3}" > "$state/sources.list"
  : > "$state/status"
  apt=(-q -o "Dir::State=$state" -o "Dir::State::status=$state/status" -o "Dir::Cache=$state/cache"
    -o "Dir::Etc::sourcelist=$state/sources.list" -o Dir::Etc::sourceparts=- -o "APT::Architecture=$2"
    -o "APT::Architectures::=$2")
  apt-get "${apt[@]}" update >&2
}

unpack_packages() {  # unpack_packages FROM TO: all packages in one folder
  local package target link
  rm -rf "$2.part"
  for package in "$1"/*.deb; do dpkg-deb -x "$package" "$2.part"; done
  # Links that begin at the root would leave the folder.
  find "$2.part" -type l -lname '/*' -printf '%l %p\n' \
    | while read -r target link; do ln -sfr "$2.part$target" "$link"; done
  mv "$2.part" "$2"
}
