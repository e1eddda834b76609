import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { ConfigMap } from "@purser/kubernetes/apis/core";
import { configMaps } from "@purser/kubernetes/apis/resources";
import { fatal, logRecord, type OpmAnswer } from "../../../catalog/opm/answer.ts";
import { goFileError } from "../../../catalog-store/read/go-file-error.ts";
import { type KubeClient, createClient } from "@purser/kubernetes/kube/client";
import { httpTransport } from "@purser/kubernetes/kube/http-transport";
import { inClusterAccess } from "@purser/kubernetes/kube/access/in-cluster";
import {
  type ClusterAccess,
  describeKubeconfigProblem,
  loadKubeconfig,
} from "@purser/kubernetes/kube/access/kubeconfig";
import { ApiRefusedError } from "@purser/kubernetes/kube/refusal";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { compareBytes } from "@purser/kubernetes/text/documents";
import { extractedAnnotations } from "./extracted-annotations.ts";
import type { ParsedFlags } from "../flags.ts";
import { flagSet, flagText, refuse, type RunningWorld } from "../opm-command.ts";

/** Runs `opm alpha bundle extract`. */
export async function extractBundle(parsed: ParsedFlags, world: RunningWorld): Promise<OpmAnswer> {
  const { env, log, signal } = world;
  const given = env["KUBECONFIG"] ?? "";
  const access = accessOf(given === "" ? flagText(parsed, "kubeconfig") : given, world);
  if (!access.ok) return fatal(`cluster config failed: Cannot load config for REST client: ${access.problem}`);
  const transport = httpTransport(access.value, { clock: world.clock });
  try {
    const problem = await extract(createClient(transport, { userAgent: "opm", signal }), signal, {
      prefix: flagText(parsed, "manifestsdir", "/"),
      namespace: flagText(parsed, "namespace", "openshift-operator-lifecycle-manager"),
      name: flagText(parsed, "configmapname"),
      limit: BigInt(flagText(parsed, "datalimit", "1048576")),
      gzip: flagSet(parsed, "gzip"),
      image: env["CONTAINER_IMAGE"] ?? "",
      log,
    });
    if (problem !== undefined) return refuse(`error loading manifests from directory: ${problem}`);
    return { exit: 0, stdout: "", stderr: "" };
  } finally {
    transport.close();
  }
}

function accessOf(kubeconfig: string, { env, log }: RunningWorld): Result<ClusterAccess, string> {
  if (kubeconfig !== "") {
    log(logRecord("info", `Loading kube client config from path "${kubeconfig}"`));
    if (!existsSync(kubeconfig)) return failed(`stat ${kubeconfig}: no such file or directory`);
    const access = loadKubeconfig({ env, path: kubeconfig });
    return access.ok ? access : failed(describeKubeconfigProblem(access.problem));
  }
  log(logRecord("info", "Using in-cluster kube client config"));
  const access = inClusterAccess(env);
  if (access !== undefined) return done(access);
  return failed(
    "unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined",
  );
}

interface Extraction {
  readonly prefix: string;
  readonly namespace: string;
  readonly name: string;
  readonly limit: bigint;
  readonly gzip: boolean;
  /** The image of the files; "" when unknown. */
  readonly image: string;
  readonly log: (record: string) => void;
}

/** Writes the files into the ConfigMap. Returns upstream's error text, and writes nothing, when that is not possible. */
async function extract(client: KubeClient, signal: AbortSignal, extraction: Extraction): Promise<string | undefined> {
  const { namespace, name, image, gzip } = extraction;
  if (name === "") return "resource name may not be empty";
  let found: ConfigMap | undefined;
  try {
    found = await client.get(configMaps, { namespace, name });
  } catch (error) {
    if (error instanceof ApiRefusedError) return error.refusal.status.message;
    throw error;
  }
  if (found === undefined) return `configmaps "${name}" not found`;
  const read = readFiles(extraction);
  if (!read.ok) return read.problem;
  const { annotations = found.metadata.annotations, files } = read.value;
  const data = Object.fromEntries(files.map(([key, bytes]) => [key, gzip ? base64(bytes) : bytes.toString("utf8")]));
  const { data: _data, binaryData: _binaryData, ...rest } = found;
  const filled: ConfigMap = {
    ...rest,
    metadata: {
      ...found.metadata,
      annotations: {
        ...annotations,
        ...(image === "" ? {} : { "olm.sourceImage": image }),
        ...(gzip ? { "olm.contentEncoding": "gzip+base64" } : {}),
      },
    },
    ...(gzip ? { binaryData: data } : { data }),
  };
  const written = await client.write({ verb: "replace", type: configMaps, object: filled }, signal);
  return written.ok ? undefined : written.problem.status.message;
}

interface ReadFiles {
  /** From `annotations.yaml`; undefined when there is none. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Content by key of the ConfigMap; compressed files are base64 of gzip, as bytes. */
  readonly files: readonly (readonly [key: string, bytes: Buffer])[];
}

function readFiles({ prefix, limit, gzip, log }: Extraction): Result<ReadFiles, string> {
  const files = new Map<string, Buffer>();
  let annotations: Readonly<Record<string, string>> | undefined;
  let total = 0n;
  for (const part of ["manifests/", "metadata/"]) {
    const directory = prefix + part;
    let names: readonly string[];
    try {
      names = readdirSync(directory).toSorted(compareBytes);
    } catch (error) {
      const problem = goFileError("open", directory, error);
      log(logRecord("error", `read dir failed: ${problem}`));
      return failed(problem);
    }
    for (const name of names) {
      const file = directory + name;
      log(logRecord("info", "Reading file", { file }));
      let bytes: Buffer;
      try {
        bytes = readFileSync(file);
      } catch (error) {
        const problem = goFileError("open", file, error);
        log(logRecord("error", `read failed: ${problem}`, { file }));
        return failed(problem);
      }
      if (name === "annotations.yaml") {
        const read = extractedAnnotations(bytes);
        if (!read.ok) return read;
        annotations = read.value;
        continue;
      }
      if (gzip) bytes = Buffer.from(base64(gzipSync(bytes)));
      total += BigInt(bytes.length);
      if (total > limit) {
        log(logRecord("error", `Bundle files exceeded ${limit} bytes limit`, { file }));
        return failed(`bundle files exceeded ${limit} bytes limit`);
      }
      const key = name.replaceAll(/[^-A-Za-z0-9_.]/gu, "-");
      if (key !== name)
        log(
          logRecord("info", "translated filename for configmap compatibility", {
            "file.Name": name,
            validConfigMapKey: key,
          }),
        );
      files.set(key, bytes);
    }
  }
  return done({ ...(annotations === undefined ? {} : { annotations }), files: [...files] });
}

function base64(bytes: Buffer): string {
  return bytes.toString("base64");
}
