import { createWriteStream, existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { plainJson } from "@purser/kubernetes/json";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { BundleFile } from "../../engine/support-bundle/plan/bundle-files.ts";
import { tarOf } from "../../image/build/tar.ts";
import { connect } from "../cluster/connect.ts";
import type { CommandSpec, Invocation, Outcome } from "../command.ts";
import { textOption, UsageError } from "../command.ts";
import { confirm, notConfirmed } from "../confirm.ts";
import { exitCodes } from "../exit-code.ts";
import { parseDuration } from "../output/duration.ts";
import { shown } from "../output/shown.ts";
import { ownVersion } from "../own-version.ts";

export const supportBundleCommand: CommandSpec = {
  description: [
    "Holds the report of purser doctor, the objects of OLM and Purser, events, and the pods of Purser with their logs. Reads no",
    "Secrets but certificates, and hides tokens, keys, passwords, manifests in InstallPlans and configurations of extensions. At",
    "most 500 objects of a kind, 4 MiB a file and 1 MiB of each log; contents.json says what was cut.",
  ].join("\n"),
  arguments: [{ name: "path", summary: "FILE.tar.gz, or a new directory", required: true }],
  options: [
    {
      flags: "--since DURATION",
      summary: "only events and log lines of this time, e.g. 90m or 24h (default: all)",
    },
  ],
  examples: [
    ["purser support-bundle fault.tar.gz", "the whole cluster"],
    ["purser support-bundle fault.tar.gz --since 2h", "events and logs of the last two hours"],
    ["purser support-bundle fault -n data --yes", "one namespace, into a directory, without a question"],
  ],
  run,
};

async function run(invocation: Invocation): Promise<Outcome> {
  const [path = ""] = invocation.arguments;
  const since = textOption(invocation, "since");
  const sinceMs = since === undefined ? undefined : parseDuration(since, "--since");
  if (existsSync(path)) throw new UsageError(`${path} exists`, "name a new file or directory");
  const connection = connect(invocation);
  try {
    const { observeSupport } = await import("../../engine/support-bundle/observe-support.ts");
    const { bundleFiles } = await import("../../engine/support-bundle/plan/bundle-files.ts");
    const { client, transport } = connection;
    const options = { client, transport, clock: systemClock, version: ownVersion() };
    const part = { namespace: textOption(invocation, "namespace"), sinceMs };
    const files = bundleFiles(await observeSupport(options, part, invocation.signal));
    for (const file of files) invocation.terminal.err(`${file.path}  ${file.text.length} characters`);
    if (!(await confirm(invocation, `Write these files to ${path}?`, "writes objects of the cluster to this machine")))
      return notConfirmed("written");
    if (/\.(tar\.gz|tgz)$/.test(path)) await writeArchive(path, files, invocation.signal);
    else await writeDirectory(path, files);
    return {
      exitCode: exitCodes.done,
      data: plainJson({
        apiVersion: "purser.dev/v1alpha1",
        kind: "SupportBundle",
        path,
        files: files.map((file) => file.path),
      }),
      human: shown(`wrote ${files.length} files to ${path}; read them before you send them`),
    };
  } finally {
    connection.close();
  }
}

/** The same files give the same bytes. */
async function writeArchive(path: string, files: readonly BundleFile[], signal: AbortSignal): Promise<void> {
  const entries = files.map((file) => {
    const source = new TextEncoder().encode(file.text);
    return { path: file.path, file: { source, size: source.length } };
  });
  const draft = `${path}.part`;
  try {
    await pipeline(tarOf(entries, signal), createGzip(), createWriteStream(draft, { mode: 0o600 }), { signal });
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

async function writeDirectory(path: string, files: readonly BundleFile[]): Promise<void> {
  for (const file of files) {
    const target = join(path, file.path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await writeFile(target, file.text, { mode: 0o600 });
  }
}
