import { readFile } from "node:fs/promises";
import type { Clock } from "@purser/kubernetes/clock";
import type { Log } from "@purser/kubernetes/kube/log";
import { flagOption, type Invocation, type OptionSpec, textOption, UsageError } from "../command.ts";
import { changedOptions, configuredOptions } from "./configured-options.ts";
import { type LogSettings, logFormats, parseLogLevels } from "./log-settings.ts";

export interface OpenSettings {
  /** With what variables and the file say. */
  readonly options: Invocation["options"];
  /** As they are now. */
  readonly logging: () => LogSettings;
  /** Looks at the file until the result is called. */
  follow(clock: Clock, log: Log): () => Promise<void>;
}

/** How often the file is looked at. */
const fileEveryMs = 10_000;
/** Settings that change while the process runs. */
const live: ReadonlySet<string> = new Set(["log-level", "log-format"]);

/** Reads flags, variables and the file of `--config` or `PURSER_CONFIG`. @throws UsageError for what cannot be used */
export async function openSettings(specs: readonly OptionSpec[], given: Invocation): Promise<OpenSettings> {
  const { env } = given.terminal;
  const path = textOption(given, "config") ?? env["PURSER_CONFIG"] ?? "";
  const read = async (): Promise<Invocation["options"]> =>
    configuredOptions(specs, given.options, env, path === "" ? undefined : { path, text: await textOf(path) });
  const options = await read();
  let current = { options, logging: loggingOf({ ...given, options }) };
  return {
    options,
    logging: () => current.logging,
    follow(clock, log) {
      const stopping = new AbortController();
      const following = path === "" ? Promise.resolve() : look(stopping.signal);
      return async () => {
        stopping.abort(new Error("the settings are closed"));
        await following;
      };

      async function look(signal: AbortSignal): Promise<void> {
        let refused = "";
        while (!signal.aborted) {
          await clock.sleep(fileEveryMs, signal).catch(() => undefined);
          if (signal.aborted) return;
          try {
            const next = await read();
            const changed = changedOptions(current.options, next);
            refused = "";
            if (changed.length === 0) continue;
            current = { options: next, logging: loggingOf({ ...given, options: next }) };
            const later = changed.filter((name) => !live.has(name));
            log("info", "the settings have changed", {
              changed,
              ...(later.length === 0 ? {} : { afterRestart: later }),
            });
          } catch (error) {
            const text = error instanceof Error ? error.message : String(error);
            if (text !== refused)
              log("warn", "the changed settings are invalid; the former ones stay in use", { error: text });
            refused = text;
          }
        }
      }
    },
  };
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new UsageError(`--config ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** @throws UsageError for levels that do not exist */
function loggingOf(invocation: Invocation): LogSettings {
  const text = textOption(invocation, "log-level") ?? (flagOption(invocation, "verbose") ? "debug" : "info");
  const levels = parseLogLevels(text);
  if (!levels.ok) throw new UsageError(`--log-level ${levels.problem}`);
  const format = logFormats.find((known) => known === textOption(invocation, "log-format")) ?? "json";
  return { format, ...levels.value };
}
