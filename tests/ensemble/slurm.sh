#!/usr/bin/env bash
# An ensemble as a Slurm job array on this machine: starts munge, slurmctld and slurmd with a configuration of their
# own, submits `taut ensemble --part K/M` as an array, joins the parts with `taut merge` and compares the digest with
# that of `taut ensemble` in one piece. Everything it starts ends with it.
#
#   tests/ensemble/slurm.sh [PROGRAM]      PROGRAM: the taut to try, default build/release/cli/taut
#
# Exit status: 0 the digests agree; 1 they do not, or a job failed; 77 Slurm cannot run here: NOT TESTED.
set -u
root=$(readlink -f "$(dirname "$0")/../..")
program=$(readlink -f "${1:-$root/build/release/cli/taut}")
work=$(mktemp -d /tmp/taut-slurm-XXXXXX)
started=()

finish() {
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null; done
  wait 2>/dev/null
  rm -rf "$work"
}
trap finish EXIT

not_here() {
  echo "=== NOT TESTED: Slurm cannot run on this machine: $*" >&2
  for log in "$work"/*.log; do [[ -f $log ]] && tail -n 5 "$log" | sed "s|^|    ${log##*/}: |" >&2; done
  exit 77
}

# until_true SECONDS COMMAND... : waits until the command succeeds
until_true() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || return 1
    sleep 0.2
  done
}

[[ -x $program ]] || { echo "slurm.sh: there is no program $program: build it first, or name it." >&2; exit 1; }
[[ $(id -u) == 0 ]] || not_here "its daemons are started by root"
for tool in munged slurmctld slurmd sbatch squeue sinfo; do
  [[ $(PATH=$PATH:/usr/sbin type -P $tool) ]] || not_here "$tool is missing: the packages slurm-wlm and munge have it"
done
PATH=$PATH:/usr/sbin

# munge, with a key and a socket of its own. It insists on folders that nobody else can write.
chmod 755 "$work"
mkdir -m 755 "$work/munge" "$work/state" "$work/spool" "$work/jobs"
dd if=/dev/urandom of="$work/munge/key" bs=128 count=1 2>/dev/null
chmod 600 "$work/munge/key"
munged --foreground --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
  --log-file="$work/munge/log" --seed-file="$work/munge/seed" >"$work/munged.log" 2>&1 &
started+=($!)
until_true 10 munge -n -S "$work/munge/socket" || not_here "munge does not answer"

cores=$(nproc)
name=$(hostname -s)
cat >"$work/slurm.conf" <<CONF
ClusterName=taut
SlurmctldHost=$name(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
SlurmctldPort=26817
SlurmdPort=26818
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
NodeName=$name NodeAddr=127.0.0.1 CPUs=$cores State=UNKNOWN
PartitionName=all Nodes=$name Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$work/slurm.conf

slurmctld -D -i >"$work/slurmctld.out.log" 2>&1 &
started+=($!)
slurmd -D -N "$name" >"$work/slurmd.out.log" 2>&1 &
started+=($!)
is_idle() { sinfo -h -o %T | grep -q idle; }
until_true 30 is_idle || not_here "the node does not become idle"
echo "$(sbatch --version) runs on $name with $cores processors"

# The script is that of docs/guide/ensembles.md; what differs is in variables.
model=(pendulum --size 1000 --steps 2000 --project-start --vary 'p_y ~ normal(0, 0.5)' --vary 'L ~ uniform(0.9, 1.1)')
parts=4
cat >"$work/jobs/array.sh" <<SBATCH
#!/bin/bash
#SBATCH --job-name=pendulums
#SBATCH --array=1-$parts
#SBATCH --cpus-per-task=1
#SBATCH --output=$work/jobs/%A-%a.log
exec '$program' ensemble $(printf '%q ' "${model[@]}") \
  --part "\$SLURM_ARRAY_TASK_ID/\$SLURM_ARRAY_TASK_COUNT" \
  --threads "\$SLURM_CPUS_PER_TASK" --out "$work/jobs/part-\$SLURM_ARRAY_TASK_ID"
SBATCH
job=$(sbatch --parsable "$work/jobs/array.sh") || not_here "sbatch refuses the job"
# A second job waits for the array and joins its parts.
cat >"$work/jobs/merge.sh" <<SBATCH
#!/bin/bash
#SBATCH --output=$work/jobs/merge.log
cd "$work/jobs" && '$program' merge part-* --out whole
SBATCH
sbatch --parsable --dependency=afterok:"$job" "$work/jobs/merge.sh" >/dev/null || not_here "sbatch refuses the second job"
is_empty() { [[ -z $(squeue -h) ]]; }
until_true 120 is_empty || { echo "slurm.sh: the jobs did not end in 120 s:" >&2; squeue >&2; exit 1; }
cat "$work/jobs/merge.log"

digest() { grep -o 'sha256 *[0-9a-f]\{64\}' | grep -o '[0-9a-f]\{64\}'; }
array=$("$program" show "$work/jobs/whole" | digest)
alone=$("$program" ensemble "${model[@]}" | digest)
echo "array of $parts jobs, merged: $array"
echo "in one piece:           $alone"
if [[ -z $alone || $array != "$alone" ]]; then
  echo "slurm.sh: the digests differ." >&2
  tail -n 20 "$work"/jobs/*.log >&2
  exit 1
fi
echo "the same bits"
