/** Base of an event class, whose instances are their payload. */
export function EventOf<Payload extends object>(type: string) {
  function Event(this: object, payload: Payload) {
    Object.assign(this, payload);
  }
  return Object.assign(Event, { type }) as unknown as {
    new (payload: Payload): Payload;
    readonly type: string;
  };
}
