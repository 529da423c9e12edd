#!/bin/sh
# A Slurm of its own in a private folder: for tests, on one machine, on loopback, without systemd, as root or as another user.
#
#   slurm.sh start DIR          start munged, slurmctld and three slurmd (node1 to node3, two processors and one "GPU" each)
#   slurm.sh env DIR            print the variables that Slurm's commands need: eval "$(slurm.sh env DIR)"
#   slurm.sh run DIR COMMAND..  run a command with them: slurm.sh run DIR sinfo
#   slurm.sh crash DIR NODE     end a node's slurmd and everything that it runs, as when a machine loses its power
#   slurm.sh boot DIR NODE      start that node again
#   slurm.sh stop DIR           end everything
#
# It needs: apt-get install slurm-wlm munge. Their own services need not run and are left alone.
# SLURM_LAB_PORT is the first of eight ports that it uses (17810).
# Nodes are several slurmd on one host (slurmd -N). Timeouts are short so that a test sees a dead node within seconds:
# (and memory is only counted): never take these settings for a real cluster.
set -eu

nodes="node1 node2 node3"
port=${SLURM_LAB_PORT:-17810}
# Debian keeps daemons out of an ordinary user's PATH.
PATH=$PATH:/usr/sbin:/sbin
export PATH

fail() {
    printf 'slurm.sh: %s\n' "$*" >&2
    exit 3
}

need() {
    for tool in munged munge unmunge slurmctld slurmd sinfo scontrol; do
        command -v "$tool" >/dev/null || fail "no $tool here: apt-get install slurm-wlm munge"
    done
}

# A folder that may not hold what slurm.conf cannot say.
lab() {
    case $1 in
    *[!A-Za-z0-9/._-]*) fail "the folder's name may have letters, digits and ._- only: $1" ;;
    /*) printf '%s\n' "$1" ;;
    *) printf '%s/%s\n' "$PWD" "$1" ;;
    esac
}

# Waits until a command succeeds: `wait_for SECONDS WHAT COMMAND...`.
wait_for() {
    left=$(($1 * 5))
    what=$2
    shift 2
    until "$@" >/dev/null 2>&1; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || fail "$what did not happen; see $dir/log and $dir/spool-*/slurmd.log"
        sleep 0.2
    done
}

all_idle() { [ "$(sinfo -h -N -t idle -o %N | wc -l)" = 3 ]; }

configure() {
    user=$(id -un)
    host=$(uname -n | cut -d. -f1)
    cat >"$dir/slurm.conf" <<CONF
ClusterName=lab
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
AuthType=auth/munge
CredType=cred/munge
# A requeued job may start again after cred_expire seconds (120 by default).
AuthInfo=socket=$dir/munge.socket,cred_expire=5
SlurmUser=$user
SlurmdUser=$user
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool-%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/%n.pid
SlurmctldLogFile=$dir/log/slurmctld.log
# slurmd and its slurmstepd run in the folder of this log, which identifies the processes of each node.
SlurmdLogFile=$dir/spool-%n/slurmd.log
SlurmctldDebug=verbose
SlurmdDebug=verbose
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/filetxt
JobCompLoc=$dir/jobs.txt
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_interval=2,batch_sched_delay=0
ReturnToService=2
SlurmdTimeout=6
KillWait=2
MinJobAge=600
SlurmdParameters=config_overrides
GresTypes=gpu
NodeName=node[1-3] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 3))] CPUs=2 RealMemory=16000 Gres=gpu:1 State=UNKNOWN
PartitionName=debug Nodes=ALL Default=YES MaxTime=1-00:00:00 State=UP
CONF
    # Any device stands in for a GPU: Slurm only counts it, and sets CUDA_VISIBLE_DEVICES by the number in its name.
    ln -sf /dev/null "$dir/nvidia0"
    printf 'AutoDetect=off\nNodeName=node[1-3] Name=gpu File=%s\n' "$dir/nvidia0" >"$dir/gres.conf"
}

boot() {
    mkdir -p "$dir/spool-$1"
    # -c: do not reuse the state of a slurmd that died.
    slurmd -c -f "$dir/slurm.conf" -N "$1"
}

pid_of() { cat "$dir/$1.pid" 2>/dev/null || true; }

# Kills a process and all its descendants.
kill_tree() {
    kill -STOP "$1" 2>/dev/null || return 0
    for child in $(ps -o pid= --ppid "$1"); do kill_tree "$child"; done
    kill -KILL "$1" 2>/dev/null || true
}

# A node is its slurmd and the slurmstepd of its jobs, which are not slurmd's children but run in its folder.
crash() {
    pid=$(pid_of "$1")
    [ -n "$pid" ] || fail "$1 is not running"
    kill_tree "$pid"
    for step in $(pgrep slurmstepd || true); do
        [ "$(readlink "/proc/$step/cwd")" != "$dir/spool-$1" ] || kill_tree "$step"
    done
    rm -f "$dir/$1.pid"
}

start() {
    need
    [ ! -e "$dir/slurm.conf" ] || fail "$dir is in use: slurm.sh stop $dir"
    mkdir -p "$dir/log" "$dir/state"
    # munged requires that no other user can write here and that every user can reach its socket.
    chmod 0755 "$dir"
    chmod 0700 "$dir/log" "$dir/state"
    (umask 077 && head -c 128 /dev/urandom >"$dir/munge.key")
    configure
    munged --key-file="$dir/munge.key" --socket="$dir/munge.socket" --pid-file="$dir/munged.pid" \
        --log-file="$dir/log/munged.log" --seed-file="$dir/munge.seed"
    wait_for 5 "an answer of munged" sh -c "munge -n -S '$dir/munge.socket' | unmunge -S '$dir/munge.socket'"
    slurmctld -f "$dir/slurm.conf"
    for node in $nodes; do boot "$node"; done
    export SLURM_CONF="$dir/slurm.conf"
    wait_for 20 "three idle nodes" all_idle
    sinfo -N -o '%N %T %C %G'
}

stop() {
    for daemon in node1 node2 node3 slurmctld munged; do
        pid=$(pid_of "$daemon")
        [ -n "$pid" ] || continue
        case $daemon in
        node*) crash "$daemon" ;;
        *) kill "$pid" 2>/dev/null || true ;;
        esac
        while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
    done
    # `start` takes this as a sign that the folder is in use; logs and states stay for debugging.
    rm -f "$dir/slurm.conf" "$dir/munge.key"
}

[ $# -ge 2 ] || fail "usage: slurm.sh start|env|run|crash|boot|stop DIR [..]"
action=$1
dir=$(lab "$2")
shift 2
case $action in
start) start ;;
env) printf 'export SLURM_CONF=%s/slurm.conf\n' "$dir" ;;
run) SLURM_CONF=$dir/slurm.conf exec "$@" ;;
crash) crash "$1" ;;
boot) boot "$1" ;;
stop) stop ;;
*) fail "unknown: $action" ;;
esac
