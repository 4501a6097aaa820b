# Joins the files of children while the disk is full, and again when it is not. The first argument is the project, the second an empty disk, the
# rest the command; `$BROKEN_AT` names the point before the join at which the run is stopped first. Prints a line for each attempt: its exit
# code, the first letters of each file, a checksum of all, and what it said.
project=$1
disk=$2
shift 2
mkdir "$disk/project"
cp -a "$project/." "$disk/project/"
mount --bind "$disk/project" "$project" || exit 9
cd "$project" || exit 9
report() {
	code=$?
	echo "$code $(for file in f?; do head -c 1 "$file"; done) $(cat f? | cksum | tr ' ' -) $(tr '\n' ' ' < "$disk/../out")"
}
PI_CHRONICLE_CRASH_AT=$BROKEN_AT "$@" run t "Change it" > "$disk/../out" 2>&1
report
for free in 0 40 300 900 2000; do
	left=$(df --output=avail -k "$disk" | tail -1)
	[ "$left" -gt "$free" ] && head -c "$(((left - free) * 1024))" /dev/zero > "$disk/filler"
	"$@" resume > "$disk/../out" 2>&1
	report
	rm -f "$disk/filler"
done
"$@" resume > "$disk/../out" 2>&1
report
