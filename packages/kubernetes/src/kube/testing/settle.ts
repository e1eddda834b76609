/** Runs everything that does not wait for the clock: enough turns of the event loop for any chain of promises. */
export async function settle(turns = 5): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}
