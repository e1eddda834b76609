// `npm run -s image`: the image of Purser for linux/amd64 and linux/arm64 as an OCI layout, without a container engine.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { failed, type Result } from "@purser/kubernetes/result";
import { UsageError } from "../../src/cli/command.ts";
import { prepareSigning, type Signing } from "../../src/cli/image/signing.ts";
import { openTarget } from "../../src/cli/image/open-target.ts";
import { imageIndexOf } from "../../src/image/build/built-image.ts";
import { parseTarget, type TargetReference } from "../../src/image/build/image-target.ts";
import { newestPackages, type PinnedPackages } from "./debian-packages.ts";
import { gatherInputs } from "./gather-inputs.ts";
import { imageRoot } from "./image-root.ts";
import { labelsOf, platformImage } from "./platform-image.ts";
import { writeRoot } from "./write-root.ts";

const usage = `npm run -s image -- [--to REFERENCE] [--downloads DIR] [--revision COMMIT] [--sign KEY [--sign-identity NAME]]
npm run -s image -- --root DIR [--architecture amd64|arm64]
npm run -s image -- --update-packages

  --to                oci:DIR[:NAME], oci-archive:FILE[:NAME] or HOST/REPOSITORY:TAG; default oci:image:purser
  --downloads         where Node and packages of Debian are kept and looked for; default node_modules/.cache/purser-image
  --revision          the label org.opencontainers.image.revision
  --sign              signs the image with this private key (ECDSA P-256; PEM or cosign's own form) as cosign does; the passphrase of
                      an encrypted key is COSIGN_PASSWORD
  --sign-identity     image name in the signature; the reference by default
  --root              writes the file system of one image into a directory instead, as the Containerfile does
  --update-packages   pins the newest packages of Debian in debian-packages.json`;

const { values: given } = parseArgs({
  options: {
    to: { type: "string", default: "oci:image:purser" },
    downloads: { type: "string" },
    revision: { type: "string" },
    sign: { type: "string" },
    "sign-identity": { type: "string" },
    root: { type: "string" },
    architecture: { type: "string" },
    "update-packages": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const { signal } = new AbortController();
const downloads = resolve(given.downloads ?? join(import.meta.dirname, "../../../../node_modules/.cache/purser-image"));
const pinnedFile = join(import.meta.dirname, "debian-packages.json");
const pinned = JSON.parse(readFileSync(pinnedFile, "utf8")) as PinnedPackages;

const problem = given.help
  ? usage
  : given["update-packages"]
    ? await updatePackages()
    : given.root === undefined
      ? await writeImage(given.to)
      : await writeOneRoot(given.root, given.architecture ?? "amd64");
if (problem !== undefined) {
  console.error(problem);
  process.exitCode = given.help ? 0 : 1;
}

async function updatePackages(): Promise<string | undefined> {
  const newest = await newestPackages(pinned, downloads);
  if (!newest.ok) return newest.problem;
  writeFileSync(pinnedFile, `${JSON.stringify(newest.value, undefined, 2)}\n`);
  return undefined;
}

async function writeImage(reference: string): Promise<string | undefined> {
  const parsed = parseTarget(reference);
  if (!parsed.ok) return `${parsed.problem.cause}; ${parsed.problem.remedy}`;
  const signing = await signingOf(parsed.value, reference);
  if (!signing.ok) return signing.problem;
  const inputs = await gatherInputs(["amd64", "arm64"], pinned, downloads);
  if (!inputs.ok) return inputs.problem;
  const images = [];
  console.log(`sources  ${inputs.value.sources}`);
  for (const one of inputs.value.images) {
    const layers = imageRoot(one);
    if (!layers.ok) return layers.problem;
    const labels = labelsOf(one.product.version, given.revision);
    const { architecture } = one;
    const image = await platformImage(layers.value, architecture, labels, signal);
    images.push({ image, os: "linux", architecture });
    const files = layers.value.flatMap((layer) => layer.files);
    const unpacked = files.reduce((sum, file) => sum + (file.kind === "file" ? file.bytes.length : 0), 0);
    console.log(`linux/${architecture}  ${mib(image.size)} compressed, ${mib(unpacked)} unpacked`);
  }
  const index = imageIndexOf(images);
  const opened = await openTarget(parsed.value, reference, process.env);
  if (!opened.ok) return `${opened.problem.cause}; ${opened.problem.remedy}`;
  const target = opened.value;
  try {
    // The signature comes first: nobody who follows the tag may see the image without it.
    const signed = await signing.value?.(index.manifest.descriptor.digest, target, signal);
    const put = signed?.ok === false ? signed : await target.put(index, parsed.value.name, { signal });
    const written = put.ok ? await target.finish(signal) : put;
    if (signed?.ok === true && written.ok) console.log(`signed  ${signed.value}`);
    if (!written.ok) return `${written.problem.cause}; ${written.problem.remedy}`;
  } finally {
    await target.close();
  }
  console.log(`${reference}  ${index.manifest.descriptor.digest}`);
  return undefined;
}

/** The problem is a sentence. */
async function signingOf(target: TargetReference, reference: string): Promise<Result<Signing | undefined, string>> {
  try {
    const signing = await prepareSigning({
      file: given.sign,
      identity: given["sign-identity"],
      target,
      reference,
      passphrase: async () => process.env["COSIGN_PASSWORD"],
    });
    return signing.ok ? signing : failed(`${signing.problem.cause}; ${signing.problem.remedy}`);
  } catch (error) {
    if (error instanceof UsageError) return failed([error.message, ...error.hints].join("; "));
    throw error;
  }
}

async function writeOneRoot(directory: string, architecture: string): Promise<string | undefined> {
  if (architecture !== "amd64" && architecture !== "arm64")
    return `--architecture ${architecture} is neither amd64 nor arm64`;
  const inputs = await gatherInputs([architecture], pinned, downloads);
  if (!inputs.ok) return inputs.problem;
  for (const one of inputs.value.images) {
    const layers = imageRoot(one);
    if (!layers.ok) return layers.problem;
    const problemOfRoot = writeRoot(
      directory,
      layers.value.flatMap(({ files }) => files),
    );
    if (problemOfRoot !== undefined) return problemOfRoot;
  }
  return undefined;
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
