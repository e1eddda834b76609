import { ServerInterceptingCall, type ServerInterceptor } from "@grpc/grpc-js";

/** So many bytes of one stream may wait for the socket before its writer is held back. */
const aheadBytes = 256 * 1024;

/**
 * Lets a stream run ahead of the socket by a bounded number of bytes, so that many small messages leave together.
 * Without it every message waits until the one before it was written, which makes `ListBundles` several times slower.
 */
export const writeAhead: ServerInterceptor = (_, call) => new EagerCall(call);

class EagerCall extends ServerInterceptingCall {
  #waiting = 0;
  #held: (() => void) | undefined;

  override sendMessage(message: unknown, callback: () => void): void {
    const size = message instanceof Uint8Array ? message.length : 0;
    this.#waiting += size;
    super.sendMessage(message, () => {
      this.#waiting -= size;
      const held = this.#held;
      if (held === undefined || this.#waiting >= aheadBytes) return;
      this.#held = undefined;
      held();
    });
    if (this.#waiting < aheadBytes) callback();
    else this.#held = callback;
  }
}
