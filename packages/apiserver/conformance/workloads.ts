import type { JsonObject } from "@purser/kubernetes/json";

/** Metadata with a name and a label of the same value, for selectors. */
function labelled(name: string): JsonObject {
  return { app: name };
}

export function pod(name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: labelled(name), ...metadata },
    spec: { containers: [{ name: "c", image: "example.com/app:1" }], ...spec },
  };
}

/** `spec` of the Deployment, `podSpec` of its pods. */
export function deployment(name: string, spec: JsonObject = {}, podSpec: JsonObject = {}): JsonObject {
  const { spec: template } = pod(name, podSpec);
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, labels: labelled(name) },
    spec: {
      selector: { matchLabels: labelled(name) },
      template: { metadata: { labels: labelled(name) }, ...(template === undefined ? {} : { spec: template }) },
      ...spec,
    },
  };
}

export function job(name: string, spec: JsonObject = {}, podSpec: JsonObject = {}): JsonObject {
  const { spec: template = {} } = pod(name, { restartPolicy: "Never", ...podSpec });
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec: { template: { spec: template }, ...spec } };
}

function ofTemplate(kind: string, name: string, spec: JsonObject, podSpec: JsonObject): JsonObject {
  return { ...deployment(name, spec, podSpec), kind };
}

/** As {@link deployment}. */
export function statefulSet(name: string, spec: JsonObject = {}, podSpec: JsonObject = {}): JsonObject {
  return ofTemplate("StatefulSet", name, spec, podSpec);
}

/** As {@link deployment}. */
export function daemonSet(name: string, spec: JsonObject = {}, podSpec: JsonObject = {}): JsonObject {
  return ofTemplate("DaemonSet", name, spec, podSpec);
}

/** A CronJob whose Jobs succeed, every minute by default. */
export function cronJob(name: string, spec: JsonObject = {}): JsonObject {
  const { spec: template } = job(name);
  return {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name },
    spec: { schedule: "* * * * *", jobTemplate: template === undefined ? {} : { spec: template }, ...spec },
  };
}
