// `npm run test:image`: builds the image twice, compares, and starts it. Needs a mirror of Debian and npm's registry, or the files
// in `--downloads`; starting it needs root for unshare and chroot.
import { execFileSync, spawnSync } from "node:child_process";
import { generateKeyPairSync, type KeyObject, verify } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Architecture, readElf } from "./elf.ts";
import { runSettings } from "./platform-image.ts";

const mostUnpacked = 150 * 2 ** 20;
/** What is asked of a running image: its version, certificates, time zones, names of hosts, and that it can only write where it may. */
const questions = `
import { readFileSync, writeFileSync } from "node:fs";
import { lookup } from "node:dns/promises";
import { getCACertificates } from "node:tls";
const refused = (path) => { try { writeFileSync(path, ""); return false; } catch { return true; } };
writeFileSync("/tmp/one", "");
writeFileSync("/var/cache/purser/one", "");
console.log(JSON.stringify({
  user: process.getuid(),
  certificates: getCACertificates("system").length > 50,
  zone: new Date(0).getHours(),
  localhost: (await lookup("localhost")).address !== "",
  readOnly: ["/etc/one", "/usr/bin/one", "/one"].every(refused),
}));`;

const identity = "registry.example/purser:0.1.0";
const { values: given } = parseArgs({ options: { downloads: { type: "string" } } });
const scratch = mkdtempSync(join(tmpdir(), "purser-image-"));
let failures = 0;

interface Descriptor {
  readonly digest: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly platform?: { readonly architecture: Architecture };
  readonly layers?: readonly Descriptor[];
}

try {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const key = join(scratch, "key.pem");
  writeFileSync(key, privateKey.export({ type: "pkcs8", format: "pem" }));
  const [built, again] = [build("one"), build("two", ["--sign", key, "--sign-identity", identity])];
  const [one, two] = [built.digest, again.digest];
  if (built.sources === again.sources)
    check("two builds of the same sources have the same digest", one === two ? undefined : `${one} and ${two}`);
  else check("two builds of the same sources", "the sources changed between the builds: run this again when they rest");
  check("the signature is of the image, by the key", signatureProblem(join(scratch, "two"), two, publicKey));
  for (const architecture of ["amd64", "arm64"] as const) {
    const root = unpack(join(scratch, "one"), one, architecture);
    check(`linux/${architecture}: at most 150 MiB unpacked`, sizeProblem(root));
    check(`linux/${architecture}: all programs are for it, and there is no shell`, contentProblem(root, architecture));
    const native = architecture === (process.arch === "x64" ? "amd64" : process.arch);
    const emulator = native ? undefined : onPath("qemu-aarch64-static");
    if (!native && emulator === undefined) skip(`linux/${architecture}: starts`, "there is no qemu-aarch64-static");
    else start(root, architecture, emulator);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.log(failures === 0 ? "all passed" : `${failures} failed`);
process.exitCode = failures > 0 ? 1 : 0;

function check(what: string, problem: string | undefined): void {
  console.log(`${problem === undefined ? "passed" : "FAILED"}  ${what}`);
  if (problem === undefined) return;
  failures++;
  console.log(problem);
}

function skip(what: string, why: string): void {
  console.log(`skipped ${what}: ${why}`);
}

/** The digests of the index and of the sources. */
function build(name: string, signing: readonly string[] = []): { readonly digest: string; readonly sources: string } {
  const downloads = given.downloads === undefined ? [] : ["--downloads", given.downloads];
  const args = [
    join(import.meta.dirname, "main.ts"),
    "--to",
    `oci:${join(scratch, name)}:purser`,
    ...downloads,
    ...signing,
  ];
  const output = execFileSync(process.execPath, args, { encoding: "utf8" }).trimEnd();
  console.log(output);
  const index = JSON.parse(readFileSync(join(scratch, name, "index.json"), "utf8")) as {
    readonly manifests: readonly Descriptor[];
  };
  const sources = /^sources {2}(.*)$/m.exec(output)?.[1] ?? "";
  return { digest: named(index.manifests, "purser")?.digest ?? "", sources };
}

function named(manifests: readonly Descriptor[], name: string): Descriptor | undefined {
  return manifests.find(({ annotations }) => annotations?.["org.opencontainers.image.ref.name"] === name);
}

/** As `cosign verify --key` looks for it. */
function signatureProblem(layout: string, digest: string, key: KeyObject): string | undefined {
  const read = (of: string): Buffer => readFileSync(join(layout, "blobs", of.replace(":", "/")));
  const { manifests } = JSON.parse(readFileSync(join(layout, "index.json"), "utf8")) as {
    readonly manifests: readonly Descriptor[];
  };
  const tag = `${digest.replace(":", "-")}.sig`;
  const image = named(manifests, tag);
  if (image === undefined) return `there is no ${tag}`;
  const { layers = [] } = JSON.parse(read(image.digest).toString()) as Descriptor;
  const [layer] = layers;
  const payload = read(layer?.digest ?? "");
  const signature = Buffer.from(layer?.annotations?.["dev.cosignproject.cosign/signature"] ?? "", "base64");
  if (!verify("sha256", payload, key, signature)) return "the key did not make the signature";
  const { critical } = JSON.parse(payload.toString()) as {
    readonly critical: { readonly identity: object; readonly image: object };
  };
  const claim = JSON.stringify([critical.identity, critical.image]);
  const wanted = JSON.stringify([{ "docker-reference": identity }, { "docker-manifest-digest": digest }]);
  return claim === wanted ? undefined : claim;
}

function unpack(layout: string, index: string, architecture: Architecture): string {
  const blob = (digest: string): string => join(layout, "blobs", digest.replace(":", "/"));
  const read = <Value>(digest: string): Value => JSON.parse(readFileSync(blob(digest), "utf8")) as Value;
  const { manifests } = read<{ readonly manifests: readonly Descriptor[] }>(index);
  const own = manifests.find(({ platform }) => platform?.architecture === architecture);
  const root = join(scratch, `root-${architecture}`);
  mkdirSync(root);
  for (const { digest } of read<{ readonly layers: readonly Descriptor[] }>(own?.digest ?? "").layers)
    execFileSync("tar", ["--extract", "--gzip", "--file", blob(digest), "--directory", root, "--preserve-permissions"]);
  return root;
}

function sizeProblem(root: string): string | undefined {
  const bytes = Number(execFileSync("du", ["--bytes", "--summarize", root], { encoding: "utf8" }).split("\t")[0]);
  return bytes <= mostUnpacked ? undefined : `${bytes} bytes, more than ${mostUnpacked}`;
}

function contentProblem(root: string, architecture: Architecture): string | undefined {
  const files = execFileSync("find", [root, "-type", "f"], { encoding: "utf8" }).trim().split("\n");
  const programs: string[] = [];
  for (const file of files) {
    const elf = readElf(readFileSync(file));
    if (!elf.ok) continue;
    if (elf.value.architecture !== architecture) return `${file} is for ${elf.value.architecture}`;
    const { interpreter } = elf.value;
    if (interpreter !== undefined && file.startsWith(join(root, "usr/bin"))) {
      programs.push(file.slice(root.length));
      if (!existsSync(join(root, interpreter))) return `${file} needs ${interpreter}`;
    }
  }
  return programs.join() === "/usr/bin/node" ? undefined : `programs are ${programs.join(", ")}`;
}

function start(root: string, architecture: Architecture, emulator: string | undefined): void {
  const what = `linux/${architecture}: starts as its user with a read-only root`;
  if (process.getuid?.() !== 0) return skip(what, "unshare and chroot need root");
  if (emulator !== undefined) execFileSync("cp", [emulator, join(root, "usr/bin/qemu")]);
  writeFileSync(join(root, "etc/hosts"), "127.0.0.1 localhost\n");
  const [program, script] = runSettings.Entrypoint;
  const inside = (args: readonly string[]): string => {
    const mounts = [
      'mount --bind "$1" "$1"',
      'mount -t proc proc "$1/proc"',
      'mount --bind /dev "$1/dev"',
      'mount -t tmpfs tmpfs "$1/tmp"',
      'mount -t tmpfs tmpfs "$1/var/cache/purser"',
      'chmod 1777 "$1/tmp" "$1/var/cache/purser"',
      'mount -o remount,bind,ro "$1"',
      'root="$1"; shift; exec chroot --userspec=65532:65532 "$root" "$@"',
    ].join(" && ");
    const emulated = emulator === undefined ? [] : ["/usr/bin/qemu"];
    const command = ["--mount", "--pid", "--fork", "sh", "-c", mounts, "sh", root, ...emulated, program, ...args];
    const env = Object.fromEntries([...runSettings.Env, "TZ=Asia/Tokyo"].map((line) => line.split("=", 2)));
    const run = spawnSync("unshare", command, {
      encoding: "utf8",
      env: { ...env, PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
    });
    return run.status === 0 ? run.stdout.trim() : `exit ${run.status}: ${run.stderr}`;
  };
  const answers = inside(["--input-type=module", "--eval", questions]);
  const expected = JSON.stringify({ user: 65532, certificates: true, zone: 9, localhost: true, readOnly: true });
  check(what, answers === expected ? undefined : answers);
  const help = inside([script, "--help"]);
  check(
    `linux/${architecture}: purser answers`,
    help.includes("\nUsage: purser <command>") ? undefined : help.slice(0, 2000),
  );
}

function onPath(name: string): string | undefined {
  return (process.env["PATH"] ?? "")
    .split(":")
    .map((directory) => join(directory, name))
    .find((file) => existsSync(file));
}
