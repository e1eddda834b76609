import { existsSync } from "node:fs";
import { logRecord } from "../../../catalog/opm/answer.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import { dockerfileName, generateBundle, metadataFlags } from "./generate-bundle.ts";
import { flagSet, flagText, type LogInfo, type LongOpmCommand, refuse, type RunningWorld } from "../opm-command.ts";

/** `opm alpha bundle build`: writes the files of `generate`, then builds the image with a tool from the PATH. */
export const bundleBuild: LongOpmCommand = {
  path: "alpha bundle build",
  usage: "",
  summary: "write the metadata of a bundle and build its image with docker, podman or buildah",
  flags: [
    ...metadataFlags,
    { name: "tag", short: "t", value: "IMAGE", required: true, summary: "name of the image" },
    { name: "image-builder", short: "b", value: "TOOL", initial: "docker", summary: "docker, podman or buildah" },
    { name: "overwrite", short: "o", summary: "replace annotations.yaml and bundle.Dockerfile that are there" },
  ],
  words: [0, 0],
  async run(parsed, { log, signal, env }) {
    const info: LogInfo = (message, level = "info") => log(logRecord(level, message));
    const directory = flagText(parsed, "directory");
    if (!existsSync(directory)) return refuse(`stat ${directory}: no such file or directory`);
    generateBundle(parsed, flagSet(parsed, "overwrite"), info);
    info("Building bundle image");
    const tool = flagText(parsed, "image-builder", "docker");
    const args = toolArguments(tool, flagText(parsed, "tag"));
    if (args === undefined) return refuse(`${tool} is not supported image builder`);
    const problem = await runTool(tool, args, { signal, env });
    const command = `[]string{${[tool, ...args].map(goQuote).join(", ")}}`;
    if (problem !== undefined) return refuse(`Failed to exec ${command}: ${problem}`);
    return { exit: 0, stdout: "", stderr: "" };
  },
};

function toolArguments(tool: string, image: string): readonly string[] | undefined {
  const rest = ["-f", dockerfileName, "-t", image, "."];
  if (tool === "docker" || tool === "podman") return ["build", ...rest];
  return tool === "buildah" ? ["bud", "--format=docker", ...rest] : undefined;
}

/** Runs a tool that inherits our output streams; the problem is its failure with the wording of Go's `os/exec`. */
function runTool(
  tool: string,
  args: readonly string[],
  { signal, env }: Pick<RunningWorld, "signal" | "env">,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = process
      .getBuiltinModule("node:child_process")
      .spawn(tool, args, { stdio: ["ignore", "inherit", "inherit"], env });
    const stop = (): void => void child.kill("SIGTERM");
    signal.addEventListener("abort", stop, { once: true });
    child.once("error", (error: NodeJS.ErrnoException) => {
      const reason = error.code === "ENOENT" ? "executable file not found in $PATH" : error.message;
      resolve(`exec: ${goQuote(tool)}: ${reason}`);
    });
    child.once("close", (code, killedBy) => {
      signal.removeEventListener("abort", stop);
      if (killedBy !== null) resolve(`signal: ${signalTexts[killedBy] ?? killedBy}`);
      else resolve(code === 0 ? undefined : `exit status ${code ?? -1}`);
    });
  });
}

const signalTexts: Readonly<Partial<Record<NodeJS.Signals, string>>> = {
  SIGHUP: "hangup",
  SIGINT: "interrupt",
  SIGKILL: "killed",
  SIGTERM: "terminated",
  SIGSEGV: "segmentation fault",
};
