import { describe, expect, it } from 'vitest';
import { OWN_ADDRESS, publicBase } from '../../src/public-address.ts';

const to = (url: string, proto?: string) =>
  new Request(url, { headers: proto === undefined ? {} : { 'x-forwarded-proto': proto } });

describe('publicBase', () => {
  it('is where the request was sent to', () => {
    expect(publicBase(to('https://mcp.example.org/x?y'), OWN_ADDRESS)).toBe('https://mcp.example.org');
    expect(publicBase(to('http://localhost:8000/'), OWN_ADDRESS)).toBe('http://localhost:8000');
  });

  it('is what is configured, before everything else', () => {
    const address = { baseUrl: 'https://mcp.example.org/shop/', trustProxy: true, scheme: 'http' } as const;
    expect(publicBase(to('http://10.0.0.1:8000/', 'http'), address)).toBe('https://mcp.example.org/shop');
  });

  it('takes the scheme from a trusted proxy, the nearest one', () => {
    const trusting = { ...OWN_ADDRESS, trustProxy: true };
    expect(publicBase(to('http://mcp.example.org/', 'https'), trusting)).toBe('https://mcp.example.org');
    expect(publicBase(to('http://mcp.example.org/', 'javascript, https'), trusting)).toBe(
      'https://mcp.example.org',
    );
    expect(publicBase(to('http://mcp.example.org/', 'javascript'), trusting)).toBe('http://mcp.example.org');
    expect(publicBase(to('http://mcp.example.org/', 'https'), OWN_ADDRESS)).toBe('http://mcp.example.org');
  });

  it('takes the scheme of a trusted proxy for a configured http address, and never http for an https one', () => {
    const address = { ...OWN_ADDRESS, baseUrl: 'http://mcp.example.org/shop', trustProxy: true };
    const request = to('http://10.0.0.1:8000/', 'https');
    expect(publicBase(request, address)).toBe('https://mcp.example.org/shop');
    expect(publicBase(request, { ...address, trustProxy: false })).toBe('http://mcp.example.org/shop');
    expect(publicBase(to('https://mcp.example.org/'), { ...OWN_ADDRESS, scheme: 'http' })).toBe(
      'https://mcp.example.org',
    );
  });

  it('takes the configured scheme where no proxy says another', () => {
    const address = { baseUrl: null, trustProxy: true, scheme: 'https' } as const;
    expect(publicBase(to('http://mcp.example.org/'), address)).toBe('https://mcp.example.org');
    expect(publicBase(to('http://mcp.example.org/', 'http'), address)).toBe('http://mcp.example.org');
  });
});
