package dev.weir.server;

import static dev.weir.server.HttpCase.both;
import static dev.weir.server.HttpCase.http1;
import static dev.weir.server.Outcome.answered;

import java.util.stream.Stream;

/** Requests that pages of elsewhere make a browser send, and some that only look like those. */
final class AccessCases {
  private static final int NOT_THIS_NODE = 421;
  private static final String ELSEWHERE = "https://elsewhere.example";

  private AccessCases() {}

  static Stream<HttpCase> rows() {
    return Stream.concat(hosts(), pages());
  }

  private static Stream<HttpCase> hosts() {
    return Stream.of(
        to("a name that is bound to loopback by somebody else", "elsewhere.example", NOT_THIS_NODE),
        to("such a name with a port", "elsewhere.example:4437", NOT_THIS_NODE),
        to("a name that begins as this node's", "localhost.elsewhere.example", NOT_THIS_NODE),
        to("a name that looks like an address", "127.0.0.1.elsewhere.example", NOT_THIS_NODE),
        to("an address of another machine", "192.0.2.7", NOT_THIS_NODE),
        to("an address of IPv6 of another machine", "[2001:db8::1]", NOT_THIS_NODE),
        to("a name in capitals, with a dot and a port", "LocalHost.:80", 200),
        to("another address of loopback", "127.1.2.3", 200),
        to("loopback of IPv6, written at length", "[0:0:0:0:0:0:0:1]:4437", 200),
        http1(
            "a target that names another host",
            client -> {
              client
                  .raw()
                  .send("GET http://elsewhere.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n");
              return client.outcome();
            },
            answered(NOT_THIS_NODE)));
  }

  private static HttpCase to(String name, String host, int status) {
    return new HttpCase(
        name,
        CaseSetting.USUAL,
        client -> {
          client.raw().send("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
          return client.outcome();
        },
        client -> {
          int stream =
              client.http2().request(/* last= */ true, BadHeadCases.valid().authority(host));
          return ((Http2CaseClient) client).of(stream).outcome();
        },
        answered(status),
        answered(status),
        /* inTheClear= */ false);
  }

  private static Stream<HttpCase> pages() {
    return Stream.of(
        appended("a plain text of another page", 403, "origin", ELSEWHERE),
        appended("a plain text of a page of no origin", 403, "origin", "null"),
        appended("a plain text of a page on another port", 403, "origin", "http://localhost:1"),
        appended("a text that its browser calls foreign", 403, "sec-fetch-site", "cross-site"),
        appended("a text that its browser calls near", 403, "sec-fetch-site", "same-site"),
        appended("a text of an origin beside its own", 403, "origin", "http://localhost, x"),
        asked("a deletion by another page", "DELETE", 403, "origin", ELSEWHERE),
        asked("another page's question what it may", "OPTIONS", 403, "origin", ELSEWHERE),
        asked("another page's picture", "GET", 200, "sec-fetch-site", "cross-site"),
        asked("another page's look at a head", "HEAD", 200, "origin", ELSEWHERE),
        appended("a text of a page of the node's", 204, "origin", "http://LOCALHOST:80"),
        appended("a text that its browser calls the node's", 204, "sec-fetch-site", "same-origin"));
  }

  private static HttpCase appended(String name, int status, String... headers) {
    return both(
        name,
        client -> {
          String[] all = java.util.Arrays.copyOf(headers, headers.length + 2);
          all[headers.length] = "content-length";
          all[headers.length + 1] = "1";
          client.beginAppend(CaseClient.STREAM, all);
          client.body(new byte[] {'x'}, /* last= */ true);
          return client.outcome();
        },
        answered(status),
        answered(status));
  }

  private static HttpCase asked(String name, String method, int status, String... headers) {
    return both(
        name,
        client -> {
          client.ask(method, CaseClient.STREAM, headers);
          return client.outcome();
        },
        answered(status),
        answered(status));
  }
}
