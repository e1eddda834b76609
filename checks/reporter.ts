import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";

/** A test reporter that prints what failed or was skipped and one closing line; passing tests stay silent. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  for await (const event of events) {
    if (event.type === "test:pass") {
      if (event.data.skip !== undefined) {
        skipped++;
        yield `skipped  ${event.data.name}  (${String(event.data.skip)})\n`;
      } else if (event.data.details.type !== "suite") passed++;
    } else if (event.type === "test:fail") {
      if (event.data.details.type !== "suite") failed++;
      const { cause } = event.data.details.error;
      yield `FAILED   ${event.data.file ?? ""}:${event.data.line ?? ""} ${event.data.name}\n${cause instanceof Error ? (cause.stack ?? cause.message) : inspect(cause ?? event.data.details.error)}\n`;
    } else if (event.type === "test:stderr" || event.type === "test:stdout") yield event.data.message;
  }
  yield `${passed} passed, ${failed} failed, ${skipped} skipped\n`;
}
