# Joins the files of children while the disk is full, and again when it is not. The first argument is the project, the second an empty disk, the
# third the command; `$BROKEN_AT` names the point before the join at which the run is stopped first. Prints what came of each attempt.
project=$1
disk=$2
shift 2
mkdir "$disk/project"
cp -a "$project/." "$disk/project/"
mount --bind "$disk/project" "$project" || exit 9
cd "$project" || exit 9
PI_CHRONICLE_CRASH_AT=$BROKEN_AT "$@" run t "Change it" > "$disk/../out" 2>&1
echo "run $?"
for free in 0 40 300 900; do
	left=$(df --output=avail -k "$disk" | tail -1)
	[ "$left" -gt "$free" ] && head -c "$(((left - free) * 1024))" /dev/zero > "$disk/filler"
	"$@" resume > "$disk/../out" 2>&1
	echo "full $? $(cat f? | cksum | tr ' ' -) $(tr '\n' ' ' < "$disk/../out")"
	rm -f "$disk/filler"
done
"$@" resume > "$disk/../out" 2>&1
echo "free $? $(cat f0 | head -c 3) $(cat f1 | head -c 3) $(ls | tr '\n' ' ')"
