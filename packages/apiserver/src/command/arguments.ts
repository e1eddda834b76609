import { parseArgs } from "node:util";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";

export const usage = `usage: purser-apiserver [options]

Starts a Kubernetes API server until it is stopped (Ctrl-C). It prints a line that begins with "Ready" and its URL, then the
path of the administrator's kubeconfig. No container runs: with its controllers, pods become ready by a simulation.

  --controllers all|none    with the built-in controllers and the simulation of pods, or the API alone (default all)
  --address ADDRESS         where to listen (default 127.0.0.1)
  --port N                  0 takes a free one (default 0)
  --data DIR                keep the state in this directory (default: in memory, gone when the server stops)
  --write-kubeconfig FILE   where the kubeconfig goes (default: the data directory, or a temporary one)
  --help

exit codes: 0 stopped by a signal, 1 the server could not start or lost its data directory, 2 wrong arguments`;

export interface CommandOptions {
  readonly controllers: boolean;
  readonly address: string;
  readonly port: number;
  readonly data?: string;
  readonly kubeconfigFile?: string;
}

/** The options of a command line, `help`, or what is wrong with it as one sentence. */
export function commandOptions(args: readonly string[]): Result<CommandOptions | "help", string> {
  let values: Partial<Record<"controllers" | "address" | "port" | "data" | "write-kubeconfig", string>> & {
    readonly help?: boolean | undefined;
  };
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        controllers: { type: "string" },
        address: { type: "string" },
        port: { type: "string" },
        data: { type: "string" },
        "write-kubeconfig": { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    }));
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
  if (values.help === true) return done("help");
  const { controllers = "all", address = "127.0.0.1", port = "0", data, "write-kubeconfig": file } = values;
  if (controllers !== "all" && controllers !== "none")
    return failed(`--controllers is "all" or "none", not ${JSON.stringify(controllers)}`);
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    return failed(`--port is a number from 0 to 65535, not ${JSON.stringify(port)}`);
  for (const [name, value] of Object.entries({ address, data, "write-kubeconfig": file }))
    if (value === "") return failed(`--${name} is empty`);
  return done({
    controllers: controllers === "all",
    address,
    port: Number(port),
    ...(data === undefined ? {} : { data }),
    ...(file === undefined ? {} : { kubeconfigFile: file }),
  });
}
