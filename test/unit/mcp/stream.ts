type Body = { [key: string]: unknown };

/** The messages of an event stream, as they come. */
export async function* messagesOf(response: Response): AsyncGenerator<Body, void, undefined> {
  if (response.body === null) return;
  let rest = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    rest += chunk;
    const events = rest.split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = /^event: message\ndata: (.*)$/m.exec(event)?.[1];
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}

/** All messages of a stream that ends by itself. */
export async function allMessages(response: Response): Promise<Body[]> {
  const messages: Body[] = [];
  for await (const message of messagesOf(response)) messages.push(message);
  return messages;
}

/** The next message. */
export async function nextMessage(messages: AsyncGenerator<Body, void, undefined>): Promise<Body> {
  const { value } = await messages.next();
  if (!value) throw new Error('the stream has ended');
  return value;
}
