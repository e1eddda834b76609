import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { Architecture } from "./elf.ts";

/** A package of Debian by its content. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: Architecture | "all";
  /** Of the `.deb` file, in hex. */
  readonly sha256: string;
}

/** What `debian-packages.json` holds. */
export interface PinnedPackages {
  readonly suite: string;
  readonly packages: readonly DebianPackage[];
}

const run = promisify(execFile);

/** The file's name in a mirror of Debian, where `:` of an epoch is written `%3a`. */
export const fileNameOf = ({ name, version, architecture }: DebianPackage): string =>
  `${name}_${version.replaceAll(":", "%3a")}_${architecture}.deb`;

/**
 * Puts the pinned packages that `directory` lacks into it; those that are there are not asked for again. The problem says which
 * packages are missing, why they cannot be fetched, and what to do.
 */
export async function fetchPackages(pinned: PinnedPackages, directory: string): Promise<Result<void, string>> {
  const missing = pinned.packages.filter((one) => !isIntact(one, directory));
  if (missing.length === 0) return done(undefined);
  const ready = await prepareApt(pinned.suite, directory);
  const fetched = ready.ok ? await download(missing, directory, ready.value) : ready;
  const lacking = missing.filter((one) => !isIntact(one, directory));
  if (lacking.length === 0) return done(undefined);
  return failed(
    [
      `these packages of Debian ${pinned.suite} cannot be fetched: ${fetched.ok ? "their SHA-256 differs from the pinned one" : fetched.problem}`,
      ...lacking.map((one) => `  ${fileNameOf(one)}  sha256 ${one.sha256}`),
      `When Debian has newer versions by now, pin those: npm run -s image -- --update-packages`,
      `Without a mirror of Debian or apt-get, put the files into ${directory}; or build with the Containerfile.`,
    ].join("\n"),
  );
}

/** The newest versions of the same packages; the problem is what apt says. */
export async function newestPackages(
  pinned: PinnedPackages,
  directory: string,
): Promise<Result<PinnedPackages, string>> {
  const ready = await prepareApt(pinned.suite, directory);
  if (!ready.ok) return ready;
  const names = pinned.packages.map(aptName);
  const listed = await apt(["download", "--print-uris", ...names], directory, ready.value);
  if (!listed.ok) return listed;
  const packages = [...listed.value.matchAll(/^'[^']*' (\S+)_(\S+)_(\S+)\.deb \d+ SHA256:([0-9a-f]{64})/gm)].map(
    ([, name = "", version = "", architecture = "", sha256 = ""]): DebianPackage => ({
      name,
      version: decodeURIComponent(version),
      architecture: architecture as DebianPackage["architecture"],
      sha256,
    }),
  );
  if (packages.length !== names.length) return failed(`apt knows ${packages.length} of ${names.join(", ")}`);
  return done({ ...pinned, packages });
}

const aptName = ({ name, architecture }: DebianPackage): string =>
  architecture === "all" ? name : `${name}:${architecture}`;

function isIntact(one: DebianPackage, directory: string): boolean {
  const file = join(directory, fileNameOf(one));
  return existsSync(file) && createHash("sha256").update(readFileSync(file)).digest("hex") === one.sha256;
}

async function download(
  packages: readonly DebianPackage[],
  directory: string,
  config: string,
): Promise<Result<void, string>> {
  // An unfinished or damaged file would be taken for a whole one.
  for (const one of packages) rmSync(join(directory, fileNameOf(one)), { force: true });
  const fetched = await apt(
    ["download", ...packages.map((one) => `${aptName(one)}=${one.version}`)],
    directory,
    config,
  );
  return fetched.ok ? done(undefined) : fetched;
}

/** Lists of both architectures in a directory of their own: nothing of the machine's own settings is read or changed. */
async function prepareApt(suite: string, directory: string): Promise<Result<string, string>> {
  const root = join(directory, "apt");
  for (const name of ["lists/partial", "cache/archives/partial", "empty"])
    mkdirSync(join(root, name), { recursive: true });
  const mirror = "http://deb.debian.org";
  const key = "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]";
  const sources = [
    `deb ${key} ${mirror}/debian ${suite} main`,
    `deb ${key} ${mirror}/debian ${suite}-updates main`,
    `deb ${key} ${mirror}/debian-security ${suite}-security main`,
  ];
  writeFileSync(join(root, "sources.list"), `${sources.join("\n")}\n`);
  writeFileSync(join(root, "status"), "");
  const config = join(root, "apt.conf");
  const settings = {
    "Dir::Etc": `${root}/empty`,
    "Dir::Etc::sourcelist": `${root}/sources.list`,
    "Dir::Etc::sourceparts": `${root}/empty`,
    "Dir::Etc::parts": `${root}/empty`,
    "Dir::Etc::preferencesparts": `${root}/empty`,
    "Dir::State": root,
    "Dir::State::status": `${root}/status`,
    "Dir::Cache": `${root}/cache`,
    "APT::Architecture": "amd64",
    "Acquire::Languages": "none",
    "APT::Sandbox::User": "",
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${JSON.stringify(value)};`);
  writeFileSync(config, `${[...lines, 'APT::Architectures { "amd64"; "arm64"; };'].join("\n")}\n`);
  const updated = await apt(["update"], directory, config);
  return updated.ok ? done(config) : updated;
}

async function apt(args: readonly string[], directory: string, config: string): Promise<Result<string, string>> {
  try {
    const env = { ...process.env, APT_CONFIG: config, LC_ALL: "C" };
    return done(
      (
        await run(
          "apt-get",
          ["--error-on=any", "-qq", ...args].filter((arg) => args[0] === "update" || arg !== "--error-on=any"),
          { cwd: directory, env, maxBuffer: 2 ** 24 },
        )
      ).stdout,
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return failed("there is no apt-get");
    const lines = String((error as { readonly stderr?: string }).stderr ?? error).split("\n");
    return failed(lines.filter((line) => line.startsWith("E:")).join("; ") || "apt-get failed");
  }
}
