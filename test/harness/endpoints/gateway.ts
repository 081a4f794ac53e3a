import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type Listening, listen } from './listen';

export interface Gateway extends Listening {
  readonly requests: {
    /** Method and URL. */
    readonly line: string;
    readonly headers: IncomingHttpHeaders;
    /** One character for each byte. */
    readonly body: string;
  }[];
}

/** Starts an API that notes each request. Its status is 404 for `/missing`. */
export async function startGateway(): Promise<Gateway> {
  const requests: Gateway['requests'] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('latin1')) body += chunk;
    requests.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
    response.writeHead(request.url === '/missing' ? 404 : 200).end('the reply\n');
  });
  return { ...(await listen(server)), requests };
}
