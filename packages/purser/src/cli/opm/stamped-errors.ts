import type { OpmAnswer } from "../../catalog/opm/answer.ts";

const levelTexts: Readonly<Record<string, string>> = { fatal: "FATA", warning: "WARN", info: "INFO" };

/**
 * What an answer says on stderr, as upstream's loggers print it: records carry the time in RFC 3339 (on a terminal the
 * seconds since the start, and the text as it is), Go's plain logger puts it in front of its text.
 */
export function stampedErrors({ exit, stderr }: OpmAnswer, now: number, terminal: boolean): string {
  const stamp = new Date(now).toISOString();
  const plain = `${stamp.slice(0, 19).replaceAll("-", "/").replace("T", " ")} `;
  if (!/^level=/m.test(stderr)) {
    const [, said = "", text = ""] = /^((?:(?:Flag --|Command ").*\n)*)([\s\S]*)$/.exec(stderr) ?? [];
    return exit === 0 || text === "" || text.startsWith("Error: ") ? stderr : said + plain + text;
  }
  if (!terminal) return stderr.replaceAll(/^level=/gm, `time="${stamp.slice(0, 19)}Z" level=`);
  return stderr.replaceAll(/^level=(\w+) msg=(.*)$/gm, (_record, level: string, message: string) => {
    const text = message.startsWith('"') ? readable(message) : message;
    return `${levelTexts[level] ?? level}[0000] ${text}`;
  });
}

/** A quoted text with its lines and quotation marks; what could steer a terminal stays escaped. */
function readable(quoted: string): string {
  return quoted.slice(1, -1).replaceAll(/\\(.)/g, (escape, letter: string) => {
    if (letter === "n") return "\n";
    if (letter === "t") return "\t";
    return letter === '"' || letter === "\\" ? letter : escape;
  });
}
