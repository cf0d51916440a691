package dev.weir.objects.s3;

import dev.weir.objects.s3.http.AttemptRegistry;
import dev.weir.objects.s3.http.HttpLimits;
import dev.weir.objects.s3.http.NettyHttpClient;
import dev.weir.objects.s3.retry.Backoff;
import dev.weir.objects.s3.retry.RequestLimiter;
import dev.weir.objects.s3.retry.Retries;
import dev.weir.streams.objects.DeleteFailure;
import dev.weir.streams.objects.ObjectContent;
import dev.weir.streams.objects.ObjectInfo;
import dev.weir.streams.objects.ObjectKeys;
import dev.weir.streams.objects.ObjectPage;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.ObjectStoreException;
import dev.weir.streams.objects.PutCondition;
import dev.weir.streams.objects.Request;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Objects in a bucket of any S3-compatible service. It is opened only if the service keeps to the
 * conditions of writes.
 *
 * <p>Requests are repeated where that may help, with random pauses; fewer run at once when the
 * service asks for less. A request ends when all of its attempts are over: then nothing reads or
 * writes the memory that it was given.
 */
public final class S3ObjectStore implements ObjectStore {
  private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(20);
  private static final long CLOSE_SECONDS = 10;

  private final S3Options options;
  private final NettyHttpClient http;
  private final S3AsyncClient client;
  private final Retries retries;
  private final S3Requests requests;
  private final Set<PutTask> puts = ConcurrentHashMap.newKeySet();
  private volatile boolean isClosed;

  private S3ObjectStore(S3Options options) {
    this.options = options;
    AttemptRegistry attempts = new AttemptRegistry();
    this.http =
        new NettyHttpClient(
            new HttpLimits(
                options.maxRequests(),
                options.connectTimeout(),
                options.silenceTimeout(),
                IDLE_TIMEOUT),
            options.allocator(),
            attempts);
    this.client = S3Clients.create(options, http, attempts);
    this.retries = retries(options.maxAttempts());
    this.requests = requests(retries);
  }

  private Retries retries(int maxAttempts) {
    Backoff backoff = Backoff.DEFAULT;
    return new Retries(
        new RequestLimiter(options.maxRequests(), options.maxWaiting()),
        new Backoff(backoff.first(), backoff.most(), maxAttempts),
        http.scheduler(),
        error -> S3Errors.classify(S3Errors.unwrap(error)));
  }

  private S3Requests requests(Retries with) {
    String prefix = options.prefix();
    return new S3Requests(client, with, options.bucket(), prefix.isEmpty() ? "" : prefix + "/");
  }

  /**
   * Opens a bucket, and races a few conditional writes there. Blocks.
   *
   * @throws UnsafeStoreException two of them won
   * @throws ObjectStoreException the service does not answer, or refuses
   */
  public static S3ObjectStore open(S3Options options) throws ObjectStoreException {
    S3ObjectStore store = new S3ObjectStore(options);
    try {
      new ConditionProbe(store.name(), store.requests(store.retries(1))).run();
      return store;
    } catch (Throwable e) {
      store.close();
      throw e;
    }
  }

  /**
   * Opens a bucket for those who only read: writes nothing, and so cannot tell whether the service
   * keeps to the conditions of writes. Does not block.
   */
  public static S3ObjectStore openForReading(S3Options options) {
    return new S3ObjectStore(options);
  }

  /** Without the probe, for tests. */
  static S3ObjectStore unprobed(S3Options options) {
    return new S3ObjectStore(options);
  }

  /** How many requests may run at once now: fewer after the service asked for less. */
  public int concurrency() {
    return retries.concurrency();
  }

  S3Options options() {
    return options;
  }

  @Override
  public String name() {
    return "s3:%s/%s/%s"
        .formatted(
            options.endpoint() == null ? "" : options.endpoint(),
            options.bucket(),
            options.prefix());
  }

  @Override
  public @Nullable Path localFile(String key) {
    ObjectKeys.check(key);
    return null;
  }

  @Override
  public Request<ObjectInfo> head(String key) {
    ObjectKeys.check(key);
    return isClosed
        ? refused(key)
        : new MappedRequest<>(
            requests.head(key), found -> info(key, found), error -> translate(key, error));
  }

  private static ObjectInfo info(String key, HeadObjectResponse found) {
    return new ObjectInfo(key, found.contentLength(), S3Requests.unquoted(found.eTag()));
  }

  @Override
  public Request<@Nullable Void> read(
      String key, @Nullable String ifMatch, long offset, MemorySegment target) {
    ObjectKeys.check(key);
    Objects.checkFromIndexSize(offset, target.byteSize(), Long.MAX_VALUE);
    if (isClosed) {
      return refused(key);
    }
    String what = name() + ": object " + key;
    if (target.byteSize() == 0) {
      return new MappedRequest<>(
          requests.head(key),
          found -> {
            if (found.contentLength() < offset) {
              throw tooShort(what, found.contentLength(), offset);
            }
            return null;
          },
          error -> translate(key, error));
    }
    return new MappedRequest<>(
        requests.get(
            what, key, ifMatch == null ? null : S3Requests.unquoted(ifMatch), offset, target),
        found -> null,
        error -> translate(key, error));
  }

  static ObjectStoreException tooShort(String what, long endsAt, long wanted) {
    return new ObjectStoreException(
        "%s ends at %,d, before %,d".formatted(what, endsAt, wanted), null);
  }

  @Override
  public Request<ObjectInfo> put(String key, ObjectContent content, PutCondition condition) {
    ObjectKeys.check(key);
    if (isClosed) {
      return refused(key);
    }
    PutTask task = new PutTask(this, requests, key, content, condition);
    if (puts.size() >= options.maxRequests() + options.maxWaiting()) {
      task.done()
          .completeExceptionally(
              translate(key, new RejectedExecutionException("too many requests wait")));
      return task;
    }
    puts.add(task);
    task.done().whenComplete((info, error) -> puts.remove(task));
    Thread.ofVirtual().name("weir-s3-put").start(task);
    return task;
  }

  @Override
  public Request<ObjectPage> list(String prefix, @Nullable String startAfter, int maxKeys) {
    ObjectKeys.checkPrefix(prefix);
    ObjectKeys.checkMaxKeys(maxKeys);
    if (startAfter != null) {
      ObjectKeys.checkPrefix(startAfter);
    }
    return isClosed
        ? refused(prefix)
        : new MappedRequest<>(
            requests.list(prefix, startAfter, maxKeys),
            this::page,
            error -> translate(prefix, error));
  }

  private ObjectPage page(ListObjectsV2Response response) throws ObjectStoreException {
    List<ObjectInfo> objects = new ArrayList<>();
    String before = "";
    for (S3Object object : response.contents()) {
      String key = requests.ownKey(object.key());
      if (key.compareTo(before) <= 0) {
        throw new ObjectStoreException(
            "%s lists %s behind %s: not in the order of keys".formatted(name(), key, before), null);
      }
      objects.add(new ObjectInfo(key, object.size(), S3Requests.unquoted(object.eTag())));
      before = key;
    }
    return new ObjectPage(List.copyOf(objects), !Boolean.TRUE.equals(response.isTruncated()));
  }

  @Override
  public Request<List<DeleteFailure>> delete(List<String> keys) {
    List<String> copy = ObjectKeys.check(keys);
    if (isClosed) {
      return refused("of a deletion");
    }
    if (copy.isEmpty()) {
      return new EndedRequest<>(CompletableFuture.completedFuture(List.of()));
    }
    return new MappedRequest<>(
        requests.delete(copy),
        response ->
            response.errors().stream()
                .filter(error -> !"NoSuchKey".equals(error.code()))
                .map(error ->
                    new DeleteFailure(
                        requests.ownKey(error.key()), error.code() + ": " + error.message()))
                .toList(),
        error -> translate(copy.getFirst() + " and others", error));
  }

  Throwable translate(String key, Throwable error) {
    Throwable inner = S3Errors.unwrap(error);
    if (inner instanceof RejectedExecutionException) {
      return new ObjectStoreException(
          "%s: object %s: %d requests run and %,d wait, its limits"
              .formatted(name(), key, options.maxRequests(), options.maxWaiting()),
          inner);
    }
    return S3Errors.translate(name(), key, inner);
  }

  private record EndedRequest<T extends @Nullable Object>(CompletableFuture<T> done)
      implements Request<T> {
    @Override
    public void cancel() {}
  }

  private <T extends @Nullable Object> Request<T> refused(String key) {
    return new EndedRequest<>(
        CompletableFuture.failedFuture(
            new ObjectStoreException(name() + ": object " + key + ": the store is closed", null)));
  }

  @Override
  public void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    List<CompletableFuture<?>> left = new ArrayList<>();
    for (PutTask put : puts) {
      left.add(put.done());
      put.cancel();
    }
    left.addAll(retries.cancelAll());
    try {
      CompletableFuture.allOf(left.toArray(new CompletableFuture<?>[0]))
          .get(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      // Cancelled, as was meant.
    } catch (TimeoutException e) {
      System.getLogger(S3ObjectStore.class.getName())
          .log(System.Logger.Level.WARNING, "{0}: requests are still under way", name());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    client.close();
    http.close();
  }
}
