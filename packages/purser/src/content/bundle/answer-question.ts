import { readBundle } from "../../bundle/read-bundle.ts";
import { unpackBundle } from "../../bundle/unpack-bundle.ts";
import { plainJson } from "@purser/kubernetes/json";
import { done } from "@purser/kubernetes/result";
import { turns } from "@purser/kubernetes/system/turns";
import { exactJson } from "@purser/kubernetes/text/documents";
import { readBundleFiles } from "./bundle-directory.ts";
import { fingerprint } from "../fingerprint.ts";
import type { KeptReadings } from "./kept-readings.ts";
import type { BundleQuestion, FoundBundle } from "./bundle-question.ts";

/** The answer as JSON text. Rejects when the directory no longer holds the bundle that the question is about. */
export async function answerQuestion(question: BundleQuestion, kept: KeptReadings | undefined): Promise<string> {
  const { directory } = question;
  if (question.kind === "find") return exactJson(plainJson(await findBundle(directory, kept)));
  const read = await readBundleFiles(directory);
  if (!read.ok || read.value.digest !== question.digest)
    throw new Error(`the bundle directory ${directory} changed since it was found`);
  await turns.before(read.value.files.reduce((bytes, file) => bytes + file.bytes.length, 0));
  return exactJson(plainJson(question.reading === "unpacked" ? unpackBundle(read.value) : readBundle(read.value)));
}

/** Keeps an answer for later processes; nobody has to wait for it. */
export function keepAnswer(question: BundleQuestion, text: string, kept: KeptReadings | undefined): void {
  if (question.kind === "read") kept?.keepReading(question.reading, question.digest, text);
}

async function findBundle(directory: string, kept: KeptReadings | undefined): Promise<FoundBundle> {
  const seen = await fingerprint(directory);
  const read = await readBundleFiles(directory);
  if (!read.ok) return { fingerprint: seen, digest: read };
  const { digest } = read.value;
  kept?.keepDigest(directory, seen, digest);
  return { fingerprint: seen, digest: done(digest) };
}
