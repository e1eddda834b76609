import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ConfigMap } from "@purser/kubernetes/apis/core";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { builtProduct } from "../built-product.ts";
import { freePort } from "../../src/image/testing/free-port.ts";

/** What a Deployment says about its pods, as far as the runner reads it. */
export interface PodTemplate {
  readonly serviceAccountName: string;
  readonly containers: readonly [Container];
  readonly volumes: readonly Volume[];
}

interface Container {
  readonly args: readonly string[];
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } };
  }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly readinessProbe: { readonly httpGet: { readonly path: string; readonly port: string } };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Volume {
  readonly name: string;
  readonly configMap?: { readonly name: string };
}

/** A process that was started as a pod of the Deployment. */
export interface RunningPod {
  readonly child: ChildProcess;
  /** Ports of this machine by the names of the container's ports. */
  readonly ports: Readonly<Record<string, number>>;
  output(): string;
  /** Whether its readiness probe succeeds now. */
  ready(): Promise<boolean>;
  /** When a signal to end was sent, on the monotonic clock of the system. */
  endingSince(): number | undefined;
  /** Sends the signal and waits for the end; returns the exit code, or null when a signal ended it. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

export interface PodSurroundings {
  readonly namespace: string;
  /** Of the API server that the pod talks to. */
  readonly apiServer: { readonly port: number; readonly authority: string };
  /** Of the pod's own ServiceAccount. */
  readonly token: string;
  /** The ConfigMaps that its volumes name. */
  readonly configMaps: readonly ConfigMap[];
  /** For volumes, kept from pod to pod only if the caller keeps it. */
  readonly directory: string;
}

const accountDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";
const podIp = "127.0.0.1";

/** Whether a pod has not ended. */
export function isRunning({ child }: RunningPod): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** Whether processes can get mounts of their own, as pods have. */
export function canMount(): boolean {
  return spawnSync("unshare", ["--mount", "true"]).status === 0;
}

/**
 * Plays the kubelet for one pod: starts our program in place of the image with the arguments, variables, volumes and the token
 * of the Deployment. All pods share this machine's network, so each gets free ports instead of its own.
 */
export async function startPod(template: PodTemplate, surroundings: PodSurroundings): Promise<RunningPod> {
  const [container] = template.containers;
  const ports: Record<string, number> = {};
  for (const { name } of container.ports) ports[name] = await freePort(podIp);
  const directories = volumeDirectories(template, surroundings);
  const placed = (text: string): string =>
    container.ports.reduce((at, { name, containerPort }) => at.replace(`:${containerPort}`, `:${ports[name]}`), text);
  const inVolume = (text: string): string => {
    const mount = container.volumeMounts.find(
      ({ mountPath }) => text === mountPath || text.startsWith(`${mountPath}/`),
    );
    return mount === undefined ? text : text.replace(mount.mountPath, directories.get(mount.name) ?? "");
  };
  const env = Object.fromEntries(
    container.env.map(({ name, value = "", valueFrom }) => [
      name,
      valueFrom === undefined ? inVolume(value) : fieldOf(valueFrom.fieldRef.fieldPath, surroundings),
    ]),
  );
  const args = container.args.map((arg) => placed(arg.replace(/\$\((\w+)\)/g, (_, name: string) => env[name] ?? "")));
  const access = mountAccount(surroundings);
  const mounts = [
    ...access.mounts,
    ...container.volumeMounts.flatMap(({ name, mountPath }) =>
      template.volumes.some((volume) => volume.name === name && volume.configMap !== undefined)
        ? [[directories.get(name) ?? "", mountPath] as const]
        : [],
    ),
  ];
  const [program, before] = mounting(mounts);
  const child = spawn(program, [...before, process.execPath, builtProduct(), ...args], {
    env: { PATH: process.env["PATH"], ...env, ...access.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let endingSince: number | undefined;
  const take = (chunk: Buffer): void => void (output += chunk.toString());
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  const ended = new Promise<number | null>((done) => child.on("close", (code) => done(code)));
  const { path, port } = container.readinessProbe.httpGet;
  return {
    child,
    ports,
    output: () => output,
    ready: async () => {
      const answer = await fetch(`http://${podIp}:${ports[port]}${path}`).catch(() => undefined);
      return answer?.status === 200;
    },
    endingSince: () => endingSince,
    stop(signal) {
      endingSince ??= systemClock.monotonic();
      child.kill(signal);
      return ended;
    },
  };
}

function fieldOf(path: string, { namespace }: PodSurroundings): string {
  switch (path) {
    case "metadata.namespace":
      return namespace;
    case "status.podIP":
      return podIp;
    default:
      throw new Error(`the runner knows no field ${path} of a pod`);
  }
}

/** A directory for each volume; those of ConfigMaps hold their files. */
function volumeDirectories(
  { volumes }: PodTemplate,
  { directory, configMaps }: PodSurroundings,
): ReadonlyMap<string, string> {
  return new Map(
    volumes.map(({ name, configMap }) => {
      const place = join(directory, name);
      mkdirSync(place, { recursive: true });
      const held = configMaps.find(({ metadata }) => metadata.name === configMap?.name);
      for (const [file, text] of Object.entries(held?.data ?? {})) writeFileSync(join(place, file), text);
      return [name, place];
    }),
  );
}

/** The token, the authority and the namespace where a pod finds them. */
function mountAccount({ directory, token, namespace, apiServer }: PodSurroundings): {
  readonly mounts: readonly (readonly [from: string, to: string])[];
  readonly env: Readonly<Record<string, string>>;
} {
  const place = join(directory, "account");
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "token"), token, { mode: 0o600 });
  writeFileSync(join(place, "ca.crt"), apiServer.authority);
  writeFileSync(join(place, "namespace"), namespace);
  return {
    mounts: [[place, accountDirectory]],
    env: { KUBERNETES_SERVICE_HOST: podIp, KUBERNETES_SERVICE_PORT: String(apiServer.port) },
  };
}

/** A program and its first arguments that run what follows with these mounts; `/var/run` is empty but for them. */
function mounting(mounts: readonly (readonly [string, string])[]): readonly [string, readonly string[]] {
  const run = existsSync("/run") ? "/run" : "/var/run";
  const lines = mounts.map(([from, to]) => `mkdir -p '${to}' && mount --bind '${from}' '${to}'`);
  const script = [`mount -t tmpfs none ${run}`, ...lines, 'exec "$@"'].join(" && ");
  return ["unshare", ["--mount", "sh", "-c", script, "pod"]];
}
