import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { createClient } from "@purser/kubernetes/kube/client";
import { httpTransport } from "@purser/kubernetes/kube/http-transport";
import { loadKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";

/** The environment of one test: home, data and cache directories of its own. */
export interface Surroundings {
  readonly directory: string;
  /** Where `purser up` keeps its cluster by default. */
  readonly dataDirectory: string;
  readonly env: Readonly<Record<string, string>>;
  /** Path of a file in the scratch directory. */
  readonly path: (name: string) => string;
}

/** Removed after the file's last test. */
export function freshSurroundings(): Surroundings {
  const directory = mkdtempSync(join(tmpdir(), "purser-e2e-"));
  after(() => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }));
  const path = (name: string): string => join(directory, name);
  mkdirSync(path("home"));
  return {
    directory,
    dataDirectory: path("xdg-data/purser"),
    env: {
      HOME: path("home"),
      XDG_DATA_HOME: path("xdg-data"),
      XDG_CACHE_HOME: path("xdg-cache"),
      PURSER_DATA_DIR: "",
      PURSER_CACHE_DIR: "",
      PURSER_COMPAT: "",
      KUBECONFIG: "",
      CLICOLOR_FORCE: "",
      LC_ALL: "C.UTF-8",
    },
    path,
  };
}

/** Whether a `purser up` of these surroundings ever touched `~/.kube`. */
export function touchedHome({ path }: Surroundings): boolean {
  return existsSync(path("home/.kube"));
}

export interface ClusterConnection {
  readonly client: KubeClient;
  readonly url: string;
  readonly close: () => void;
}

export function connectWith(kubeconfig: string): ClusterConnection {
  const access = loadKubeconfig({ path: kubeconfig, env: {} });
  if (!access.ok) throw new Error(`${kubeconfig}: ${JSON.stringify(access.problem)}`);
  const transport = httpTransport(access.value);
  const url = /server: "?([^\s",}]+)/.exec(readFileSync(kubeconfig, "utf8"))?.[1] ?? "";
  return { client: createClient(transport), url, close: () => transport.close() };
}

/** Never aborted: for calls that end by themselves. */
export const patient = new AbortController().signal;
