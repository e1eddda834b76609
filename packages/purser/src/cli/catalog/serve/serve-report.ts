import type { JsonObject } from "@purser/kubernetes/json";
import { type Invocation, textOption } from "../../command.ts";
import { counted } from "../../../explanation/summary.ts";

/** What `catalog serve` reports while it runs. */
export type ServeEvent =
  /** `grpc` is HOST:PORT, `http` the URL of the whole catalog; absent for an API that is not served. */
  | { readonly kind: "ready"; readonly grpc?: string; readonly http?: string }
  | { readonly kind: "serving"; readonly digest: string; readonly packages: number; readonly bundles: number }
  /** Changed content that cannot be used; the last good content is still served. */
  | { readonly kind: "refused"; readonly cause: string; readonly remedy?: string }
  /** A request that could not be answered. */
  | { readonly kind: "unanswered"; readonly target: string; readonly cause: string }
  /** The command ends because it cannot serve. */
  | { readonly kind: "failed"; readonly cause: string; readonly remedy?: string }
  | { readonly kind: "stopping" };

/**
 * Writes events: with `-o json` each as a JSON object in a line of stderr (`ready` on stdout), as the pulls of images are;
 * as text otherwise.
 */
export function serveReport({
  terminal,
  options,
}: Pick<Invocation, "terminal" | "options">): (event: ServeEvent) => void {
  const isJson = textOption({ options }, "output") === "json";
  return (event) => {
    const lines = isJson ? [jsonLine(event)] : textLines(event, terminal);
    if (event.kind === "ready") terminal.out(...lines);
    else terminal.err(...lines);
  };
}

function jsonLine({ kind, ...facts }: ServeEvent): string {
  const line: JsonObject = { apiVersion: "purser.dev/v1alpha1", kind: "CatalogEvent", event: kind, ...facts };
  return JSON.stringify(line);
}

function textLines(event: ServeEvent, terminal: Invocation["terminal"]): readonly string[] {
  const failure = ({ cause, remedy }: { readonly cause: string; readonly remedy?: string }, ...more: string[]) => [
    `${terminal.paint("bad", terminal.symbol("failed"))} ${cause}`,
    ...more,
    ...(remedy === undefined ? [] : [`  do    ${remedy}`]),
  ];
  switch (event.kind) {
    case "ready":
      return [
        "Ready",
        ...(event.grpc === undefined ? [] : [`gRPC   ${event.grpc}`]),
        ...(event.http === undefined ? [] : [`HTTP   ${event.http}`]),
      ];
    case "serving": {
      const short = event.digest.slice(0, "sha256:".length + 12);
      const held = `${counted(event.packages, "package")}, ${counted(event.bundles, "bundle")}`;
      return [`${terminal.paint("good", terminal.symbol("ok"))} serving ${short}: ${held}`];
    }
    case "refused":
      return failure(event, "  the last good content is still served");
    case "unanswered":
      return [`${event.target}: ${event.cause}`];
    case "failed":
      return failure(event);
    case "stopping":
      return ["stopping"];
  }
}
