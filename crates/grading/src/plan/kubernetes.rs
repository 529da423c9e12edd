//! Kubernetes: an Indexed Job with an index for each shard, and a Job that merges.
//!
//! ```text
//! checker grade submissions --roster roster.csv --policy grading.toml --seed-file secret.txt --out out --plan kubernetes
//! kubectl create secret generic checker-seed --from-file=seed=secret.txt
//! sh out/plan/run.sh             applies the Job, waits, applies the merge, prints what it says
//! ```
//!
//! It needs Kubernetes 1.29 or newer (`backoffLimitPerIndex`), an image with the checker and a CUDA
//! compiler (`CUDA_HOME`, or `checker setup` with `CUDA_WORKBOOK_CACHE` set to a folder of the
//! image), and a PersistentVolumeClaim `checker-class` that several nodes can mount
//! (ReadWriteMany), with the class's folder at its root, owned by group 10001: `kubectl cp` or a
//! copy on the file server. GPUs need NVIDIA's device plugin. Pods are not root, have no token, no
//! capabilities, no network (where the cluster enforces NetworkPolicy) and a read-only root; the
//! container runtime's own seccomp filter applies under the checker's. It must allow landlock
//! (containerd 1.6 or newer does). A pod that a drained node ends is not counted as a failure.

use super::{CommandPaths, Error, Plan, Planned, PlannedFile, quote, script};
use crate::text;

/// Up to here neither `maxFailedIndexes` nor `parallelism` has further conditions (Kubernetes'
/// validation of Jobs).
pub const MAX_SHARDS: u32 = 100_000;
pub(super) const SHARD_LIMIT_REASON: &str = "an Indexed Job has 100 000 completions at most";
/// The mount point of the claim.
const MOUNT: &str = "/class";

pub(super) fn files(plan: &Plan) -> Result<Planned, Error> {
    let files =
        vec![manifest("grade.yaml", grade(plan)?), manifest("merge.yaml", merge(plan)?), run(plan)];
    let next = format!(
        "Copy the folder {} to the volume of the claim `checker-class` (its root, group 10001), then:

    kubectl create secret generic checker-seed --from-file=seed={}
    sh {}

It applies a Job with {} indices and waits, then merges. `kubectl get job checker-grade -w` shows how far it is; results
are in {MOUNT}/{} of the volume.
",
        text::quote(&plan.directory),
        plan.grade.seed_file.as_deref().map_or("secret.txt".into(), text::quote),
        text::quote(&format!("{}/run.sh", plan.folder())),
        plan.shards,
        plan.grade.inside(plan)?.out,
    );
    Ok(Planned { files, next })
}

/// The whole Job once more: indices whose students are all graded end within seconds, and the files
/// lie where `kubectl` is, not where the merge runs.
pub(super) fn again(plan: &Plan) -> Planned {
    let next = format!("sh {}", text::quote(&format!("{}/run.sh", plan.folder())));
    Planned { files: vec![], next }
}

fn manifest(path: &str, contents: String) -> PlannedFile {
    PlannedFile { path: path.into(), contents, executable: false }
}

/// The command as it is inside a pod.
fn command(plan: &Plan) -> Result<super::Grade, Error> {
    let mut grade = plan.grade.inside(plan)?;
    grade.program = "checker".into();
    Ok(grade)
}

fn grade(plan: &Plan) -> Result<String, Error> {
    let grade = command(plan)?;
    let paths = CommandPaths {
        out: &text::quote(&grade.out),
        seed: "/seed/seed",
        shard: &format!("\"$shard\"/{}", plan.shards),
    };
    let grade = grade.shell(&paths, plan.jobs);
    let script = format!("set -eu\ncd {MOUNT}\nshard=$((JOB_COMPLETION_INDEX + 1))\nexec {grade}");
    let at_once = plan.at_once.unwrap_or(8).clamp(1, plan.shards);
    let spec = format!(
        "  completionMode: Indexed
  completions: {completions}
  parallelism: {at_once}
  # Each index on its own: a machine that fails three times for one costs no other.
  backoffLimitPerIndex: 2
  podFailurePolicy:
    rules:
      # The command line or the course is wrong: every index would fail.
      - action: FailJob
        onExitCodes:
          containerName: checker
          operator: In
          values: [2]
      # A drained or lost node does not count as a failure.
      - action: Ignore
        onPodConditions:
          - type: DisruptionTarget
            status: \"True\"",
        completions = plan.shards,
    );
    let gpu = match plan.gpus {
        0 => String::new(),
        n => format!("\n              nvidia.com/gpu: {n}"),
    };
    let seed = plan.grade.seed_file.is_some();
    let task = Task {
        name: "checker-grade",
        spec: &spec,
        script: &script,
        minutes: plan.minutes(),
        gpu: &gpu,
        seed,
    };
    let job = job(plan, &task)?;
    Ok(format!(
        "# Grades the class. Written by `checker grade --plan kubernetes`.
# With Kueue, add the label kueue.x-k8s.io/queue-name to the Job.
{NETWORK}---
{job}"
    ))
}

fn merge(plan: &Plan) -> Result<String, Error> {
    let grade = command(plan)?;
    let out = text::quote(&grade.out);
    let merge = grade.merge(&out, &out);
    let script = format!("set -eu\ncd {MOUNT}\nexec {merge}");
    let spec = "  backoffLimit: 0";
    let task =
        Task { name: "checker-merge", spec, script: &script, minutes: 30, gpu: "", seed: false };
    let job = job(plan, &task)?;
    Ok(format!(
        "# The class's results. Written by `checker grade --plan kubernetes`; after grade.yaml has ended.\n{job}"
    ))
}

const NETWORK: &str = "apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: checker-no-network
spec:
  podSelector:
    matchLabels:
      app.kubernetes.io/name: checker
  policyTypes: [Ingress, Egress]
";

/// The differences between the two Jobs.
struct Task<'a> {
    name: &'a str,
    /// Lines of the Job's `spec`.
    spec: &'a str,
    script: &'a str,
    minutes: u32,
    /// A line of `limits`, or nothing.
    gpu: &'a str,
    /// Whether it needs the secret.
    seed: bool,
}

fn job(plan: &Plan, task: &Task) -> Result<String, Error> {
    let Task { name, spec, script, minutes, gpu, seed } = *task;
    let Some(image) = &plan.image else {
        let what = "an image that has the checker on its PATH: --image REGISTRY/NAME:TAG";
        return Err(Error::Lacks { engine: plan.engine.as_str(), what });
    };
    let script = quote::indent(&quote::kubernetes(script), 14);
    let memory = plan.memory_mib.unwrap_or(4096);
    let cpus = plan.jobs.max(1);
    let seconds = u64::from(minutes) * 60;
    let [seed_mount, seed_volume] = if seed {
        [
            "
            - name: seed
              mountPath: /seed
              readOnly: true",
            "
        - name: seed
          secret:
            secretName: checker-seed
            defaultMode: 0440",
        ]
    } else {
        ["", ""]
    };
    Ok(format!(
        "apiVersion: batch/v1
kind: Job
metadata:
  name: {name}
  labels:
    app.kubernetes.io/name: checker
spec:
{spec}
  ttlSecondsAfterFinished: 604800
  template:
    metadata:
      labels:
        app.kubernetes.io/name: checker
    spec:
      restartPolicy: Never
      activeDeadlineSeconds: {seconds}
      # What is handed in must not reach the cluster.
      automountServiceAccountToken: false
      enableServiceLinks: false
      securityContext:
        runAsNonRoot: true
        runAsUser: 10001
        runAsGroup: 10001
        fsGroup: 10001
        fsGroupChangePolicy: OnRootMismatch
        seccompProfile:
          type: RuntimeDefault
      containers:
        - name: checker
          image: \"{image}\"
          command: [/bin/sh, -c]
          args:
            - |
{script}
          env:
            - name: HOME
              value: /tmp
          resources:
            requests:
              cpu: {cpus}
              memory: {memory}Mi
            limits:
              memory: {memory}Mi{gpu}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities:
              drop: [ALL]
          volumeMounts:
            - name: class
              mountPath: {MOUNT}
            - name: scratch
              mountPath: /tmp{seed_mount}
      volumes:
        - name: class
          persistentVolumeClaim:
            claimName: checker-class
        - name: scratch
          emptyDir: {{}}{seed_volume}
"
    ))
}

/// Applies the Job, waits for it, and merges.
fn run(plan: &Plan) -> PlannedFile {
    let contents = format!(
        "#!/bin/sh
# Grades the class on the cluster that kubectl is set to, and merges; run again, it skips what is graded.
# Written by `checker grade --plan kubernetes`.
set -eu
cd -- {}
# Complete or Failed, whichever comes. A cluster that does not answer is asked once more.
wait_for() {{
    while :; do
        state=$(state \"$1\") || {{ sleep 30 && state=$(state \"$1\"); }}
        case \" $state \" in
        *' Complete '* | *' Failed '*) return ;;
        esac
        sleep \"$2\"
    done
}}
state() {{ kubectl get job \"$1\" -o 'jsonpath={{.status.conditions[?(@.status==\"True\")].type}}'; }}
kubectl delete job checker-grade checker-merge --ignore-not-found
kubectl apply -f grade.yaml
wait_for checker-grade 10
kubectl apply -f merge.yaml
wait_for checker-merge 2
kubectl logs job/checker-merge
test \"$(kubectl get job checker-merge -o 'jsonpath={{.status.succeeded}}')\" = 1 || exit 3
",
        text::quote(&plan.folder())
    );
    script("run.sh", contents)
}
