package dev.weir.objects.s3.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import javax.net.ssl.SSLContext;

/**
 * One bucket of an S3-compatible service in this process: objects, conditions, ranges, listings,
 * deletions and uploads in parts, as far as the store uses them. Faults come as planned.
 */
public final class FakeS3 implements AutoCloseable {
  /** What goes wrong with a request. */
  public enum Fault {
    /** 503, SlowDown; nothing is done. */
    SLOW_DOWN,
    /** 500; nothing is done. */
    ERROR,
    /** 409, a conflict of conditional writes; nothing is done. */
    CONFLICT,
    /** All is done, and the connection closed without an answer. */
    LOST_ANSWER,
    /** All is done, and the answer is 412. */
    FAILED_AFTER_SUCCESS,
    /** The first half of the body is sent, then the connection closed. */
    HALF,
    /** One bit of the body is another. */
    FLIPPED_BIT,
    /** Nothing is answered until {@link FakeS3#release}. */
    HANG
  }

  /** A request as it came. */
  public record Seen(String method, String key, String query, Map<String, List<String>> headers) {
    /** The first header of this name, or null. */
    public String header(String name) {
      return headers.entrySet().stream()
          .filter(entry -> entry.getKey().equalsIgnoreCase(name))
          .map(entry -> entry.getValue().getFirst())
          .findFirst()
          .orElse(null);
    }
  }

  private record Stored(byte[] bytes, String etag, Map<String, String> metadata) {}

  private record Upload(String key, Map<String, String> metadata, Map<Integer, byte[]> parts) {}

  private record Plan(Predicate<Seen> when, Fault fault) {}

  private record Answer(int status, Map<String, String> headers, byte[] body) {}

  private static final Pattern KEY = Pattern.compile("<Key>(.*?)</Key>");
  private static final Pattern PART = Pattern.compile("<PartNumber>(\\d+)</PartNumber>");

  private static final int BACKLOG = 1_000;

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final TreeMap<String, Stored> objects = new TreeMap<>();
  private final Map<String, Upload> uploads = new HashMap<>();
  private final Deque<Plan> plans = new ArrayDeque<>();
  private final List<Seen> seen = new ArrayList<>();
  private final Set<String> undeletable = ConcurrentHashMap.newKeySet();
  private final AtomicInteger versions = new AtomicInteger();
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger mostRunning = new AtomicInteger();
  private volatile CountDownLatch released = new CountDownLatch(1);
  private volatile boolean keepsConditions = true;
  private volatile long delayNanos;

  /** On a port of its own, on loopback. */
  public FakeS3() throws IOException {
    this(HttpServer.create(address(), BACKLOG));
  }

  /** The same over TLS. */
  public FakeS3(SSLContext tls) throws IOException {
    this(overTls(tls));
  }

  private FakeS3(HttpServer server) {
    this.server = server;
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  private static HttpServer overTls(SSLContext tls) throws IOException {
    HttpsServer server = HttpsServer.create(address(), BACKLOG);
    server.setHttpsConfigurator(new HttpsConfigurator(tls));
    return server;
  }

  private static InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  /** Where it listens. */
  public URI endpoint() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** The next request for which this holds goes wrong. */
  public synchronized void plan(Predicate<Seen> when, Fault fault) {
    plans.add(new Plan(when, fault));
  }

  /** The next requests of a method go wrong. */
  public void plan(String method, Fault... faults) {
    for (Fault fault : faults) {
      plan(request -> request.method().equals(method), fault);
    }
  }

  /** What was planned and has not happened. */
  public synchronized int plansLeft() {
    return plans.size();
  }

  /** Ends all plans. */
  public synchronized void forgetPlans() {
    plans.clear();
  }

  /** Lets go what hangs. */
  public void release() {
    CountDownLatch before = released;
    released = new CountDownLatch(1);
    before.countDown();
  }

  /** From now on conditions are ignored. */
  public void ignoreConditions() {
    keepsConditions = false;
  }

  /** Each request takes so much longer from now on. */
  public void delay(Duration time) {
    delayNanos = time.toNanos();
  }

  /** Deletions of this key are refused. */
  public void keep(String key) {
    undeletable.add(key);
  }

  /** All requests until now. */
  public synchronized List<Seen> seen() {
    return List.copyOf(seen);
  }

  /** How many requests of a method there were. */
  public long count(String method) {
    return seen().stream().filter(request -> request.method().equals(method)).count();
  }

  /** Uploads in parts that are neither complete nor aborted. */
  public synchronized int openUploads() {
    return uploads.size();
  }

  /** The most requests at once since the last call. */
  public int takeMostRunning() {
    return mostRunning.getAndSet(0);
  }

  @Override
  public void close() {
    release();
    server.stop(0);
    threads.shutdownNow();
  }

  private void handle(HttpExchange exchange) throws IOException {
    mostRunning.accumulateAndGet(running.incrementAndGet(), Math::max);
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      String[] path = exchange.getRequestURI().getRawPath().split("/", 3);
      String query = exchange.getRequestURI().getRawQuery();
      Seen request =
          new Seen(
              exchange.getRequestMethod(),
              path.length < 3 ? "" : path[2],
              query == null ? "" : query,
              Map.copyOf(exchange.getRequestHeaders()));
      Fault fault;
      CountDownLatch gate = released;
      synchronized (this) {
        seen.add(request);
        fault = pick(request);
      }
      LockSupport.parkNanos(delayNanos);
      if (fault == Fault.HANG) {
        gate.await();
        return;
      }
      Answer answer =
          switch (fault) {
            case SLOW_DOWN -> error(503, "SlowDown");
            case ERROR -> error(500, "InternalError");
            case CONFLICT -> error(409, "ConditionalRequestConflict");
            case null, default -> {
              synchronized (this) {
                yield answer(request, body);
              }
            }
          };
      if (fault == Fault.LOST_ANSWER) {
        return;
      }
      send(exchange, fault == Fault.FAILED_AFTER_SUCCESS ? refused() : answer, fault);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      running.decrementAndGet();
    }
  }

  private Fault pick(Seen request) {
    for (Plan plan : plans) {
      if (plan.when().test(request)) {
        plans.remove(plan);
        return plan.fault();
      }
    }
    return null;
  }

  private static void send(HttpExchange exchange, Answer answer, Fault fault) throws IOException {
    answer.headers().forEach(exchange.getResponseHeaders()::set);
    byte[] body = answer.body();
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange
          .getResponseHeaders()
          .set("Content-Length", answer.headers().getOrDefault("X-Length", "0"));
      exchange.sendResponseHeaders(answer.status(), -1);
      return;
    }
    exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
    if (body.length > 0) {
      OutputStream out = exchange.getResponseBody();
      if (fault == Fault.FLIPPED_BIT) {
        body = body.clone();
        body[body.length / 2] ^= 1;
      }
      out.write(body, 0, fault == Fault.HALF ? body.length / 2 : body.length);
      out.flush();
    }
  }

  private Answer answer(Seen request, byte[] body) {
    String crc = request.header("x-amz-checksum-crc32c");
    if (crc != null && !crc.equals(crc32c(body))) {
      return error(400, "BadDigest");
    }
    if (request.header("content-encoding") != null) {
      return error(501, "NotImplemented");
    }
    Map<String, String> query = query(request.query());
    String key = request.key();
    return switch (request.method()) {
      case "PUT" -> query.containsKey("uploadId") ? putPart(query, body) : put(request, key, body);
      case "GET" -> key.isEmpty() ? list(query) : get(request, key);
      case "HEAD" -> head(key);
      case "POST" -> post(request, query, key, new String(body, StandardCharsets.UTF_8));
      case "DELETE" -> {
        uploads.remove(query.get("uploadId"));
        yield new Answer(204, Map.of(), new byte[0]);
      }
      default -> error(405, "MethodNotAllowed");
    };
  }

  private Answer put(Seen request, String key, byte[] body) {
    Answer refusal = check(request, key);
    return refusal != null ? refusal : store(key, body, metadata(request));
  }

  private Answer check(Seen request, String key) {
    Stored before = objects.get(key);
    String ifMatch = request.header("if-match");
    if (keepsConditions && request.header("if-none-match") != null && before != null) {
      return refused();
    }
    if (keepsConditions && ifMatch != null) {
      if (before == null) {
        return error(404, "NoSuchKey");
      }
      if (!ifMatch.equals(before.etag())) {
        return refused();
      }
    }
    return null;
  }

  private Answer store(String key, byte[] body, Map<String, String> metadata) {
    String etag = "\"v" + versions.incrementAndGet() + "\"";
    objects.put(key, new Stored(body, etag, metadata));
    return new Answer(200, Map.of("ETag", etag), new byte[0]);
  }

  private static Map<String, String> metadata(Seen request) {
    Map<String, String> metadata = new HashMap<>();
    request
        .headers()
        .forEach((name, values) -> {
          if (name.toLowerCase().startsWith("x-amz-meta-")) {
            metadata.put(name, values.getFirst());
          }
        });
    return metadata;
  }

  private Answer get(Seen request, String key) {
    Stored stored = objects.get(key);
    if (stored == null) {
      return error(404, "NoSuchKey");
    }
    String ifMatch = request.header("if-match");
    if (ifMatch != null && !ifMatch.equals(stored.etag())) {
      return refused();
    }
    String[] range = request.header("range").substring("bytes=".length()).split("-");
    long first = Long.parseLong(range[0]);
    if (first >= stored.bytes().length) {
      return error(416, "InvalidRange");
    }
    int end = (int) Math.min(stored.bytes().length, Long.parseLong(range[1]) + 1);
    Map<String, String> headers = new HashMap<>(stored.metadata());
    headers.put("ETag", stored.etag());
    headers.put("Content-Range", "bytes %d-%d/%d".formatted(first, end - 1, stored.bytes().length));
    return new Answer(206, headers, Arrays.copyOfRange(stored.bytes(), (int) first, end));
  }

  private Answer head(String key) {
    Stored stored = objects.get(key);
    if (stored == null) {
      return new Answer(404, Map.of(), new byte[0]);
    }
    Map<String, String> headers = new HashMap<>(stored.metadata());
    headers.put("ETag", stored.etag());
    headers.put("X-Length", Integer.toString(stored.bytes().length));
    return new Answer(200, headers, new byte[0]);
  }

  private Answer list(Map<String, String> query) {
    String prefix = query.getOrDefault("prefix", "");
    int maxKeys = Integer.parseInt(query.getOrDefault("max-keys", "1000"));
    StringBuilder xml = new StringBuilder();
    boolean isTruncated = false;
    int count = 0;
    for (Map.Entry<String, Stored> object :
        objects.tailMap(query.getOrDefault("start-after", ""), false).entrySet()) {
      if (object.getKey().startsWith(prefix)) {
        if (count == maxKeys) {
          isTruncated = true;
          break;
        }
        count++;
        xml.append(
            "<Contents><Key>%s</Key><ETag>%s</ETag><Size>%d</Size></Contents>"
                .formatted(
                    object.getKey(),
                    object.getValue().etag().replace("\"", "&quot;"),
                    object.getValue().bytes().length));
      }
    }
    return xml(
        200,
        "<ListBucketResult><IsTruncated>%s</IsTruncated>%s</ListBucketResult>"
            .formatted(isTruncated, xml));
  }

  private Answer post(Seen request, Map<String, String> query, String key, String body) {
    if (query.containsKey("delete")) {
      return delete(body);
    }
    if (query.containsKey("uploads")) {
      String id = "u" + versions.incrementAndGet();
      uploads.put(id, new Upload(key, metadata(request), new TreeMap<>()));
      return xml(
          200,
          "<InitiateMultipartUploadResult><UploadId>%s</UploadId></InitiateMultipartUploadResult>"
              .formatted(id));
    }
    Upload upload = uploads.get(query.get("uploadId"));
    if (upload == null) {
      return error(404, "NoSuchUpload");
    }
    Answer refusal = check(request, key);
    if (refusal != null) {
      return refusal;
    }
    List<byte[]> parts = new ArrayList<>();
    Matcher number = PART.matcher(body);
    while (number.find()) {
      parts.add(upload.parts().get(Integer.parseInt(number.group(1))));
    }
    ByteBuffer whole = ByteBuffer.allocate(parts.stream().mapToInt(part -> part.length).sum());
    parts.forEach(whole::put);
    uploads.remove(query.get("uploadId"));
    Answer stored = store(key, whole.array(), upload.metadata());
    return xml(
        200,
        "<CompleteMultipartUploadResult><ETag>%s</ETag></CompleteMultipartUploadResult>"
            .formatted(stored.headers().get("ETag").replace("\"", "&quot;")));
  }

  private Answer putPart(Map<String, String> query, byte[] body) {
    Upload upload = uploads.get(query.get("uploadId"));
    if (upload == null) {
      return error(404, "NoSuchUpload");
    }
    upload.parts().put(Integer.parseInt(query.get("partNumber")), body);
    return new Answer(200, Map.of("ETag", "\"part\""), new byte[0]);
  }

  private Answer delete(String body) {
    StringBuilder errors = new StringBuilder();
    Matcher key = KEY.matcher(body);
    while (key.find()) {
      if (undeletable.contains(key.group(1))) {
        errors.append(
            "<Error><Key>%s</Key><Code>AccessDenied</Code><Message>kept</Message></Error>"
                .formatted(key.group(1)));
      } else {
        objects.remove(key.group(1));
      }
    }
    return xml(200, "<DeleteResult>" + errors + "</DeleteResult>");
  }

  private static Map<String, String> query(String raw) {
    Map<String, String> query = new HashMap<>();
    for (String pair : raw.split("&")) {
      String[] parts = pair.split("=", 2);
      query.put(
          parts[0], parts.length == 1 ? "" : URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
    }
    return query;
  }

  private static String crc32c(byte[] body) {
    CRC32C crc = new CRC32C();
    crc.update(body);
    return Base64.getEncoder()
        .encodeToString(ByteBuffer.allocate(4).putInt((int) crc.getValue()).array());
  }

  private static Answer refused() {
    return error(412, "PreconditionFailed");
  }

  private static Answer error(int status, String code) {
    return xml(
        status, "<Error><Code>%s</Code><Message>as planned</Message></Error>".formatted(code));
  }

  private static Answer xml(int status, String xml) {
    return new Answer(
        status,
        Map.of("Content-Type", "application/xml"),
        ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>" + xml).getBytes(StandardCharsets.UTF_8));
  }
}
