package dev.weir.objects.s3;

import dev.weir.objects.s3.retry.Retried;
import dev.weir.streams.objects.ObjectContent;
import dev.weir.streams.objects.ObjectInfo;
import dev.weir.streams.objects.PreconditionFailedException;
import dev.weir.streams.objects.PutCondition;
import dev.weir.streams.objects.Request;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.UploadPartResponse;

/**
 * A write, on a virtual thread of its own: one request for a short object, an upload in parts for a
 * long one. Where a condition seems to fail, the object that is there is asked for its nonce: it
 * may be this very write's, whose first answer was lost.
 */
final class PutTask implements Request<ObjectInfo>, Runnable {
  /** Parts on their way at once. */
  private static final int PARTS_AT_ONCE = 4;

  private static final int MAX_PARTS = 10_000;
  private static final long MEBIBYTE = 1L << 20;

  private final S3ObjectStore store;
  private final S3Requests requests;
  private final String key;
  private final ObjectContent content;
  private final PutCondition condition;
  private final CompletableFuture<ObjectInfo> done = new CompletableFuture<>();

  // Under this object's monitor.
  private final Set<Retried<?>> running = new HashSet<>();
  private boolean isCancelled;

  PutTask(
      S3ObjectStore store,
      S3Requests requests,
      String key,
      ObjectContent content,
      PutCondition condition) {
    this.store = store;
    this.requests = requests;
    this.key = key;
    this.content = content;
    this.condition = condition;
  }

  @Override
  public void run() {
    ObjectInfo info;
    try (ContentBytes bytes = new ContentBytes(content)) {
      int crc32c = bytes.crc32c(0, bytes.lengthBytes());
      ObjectStamp stamp = ObjectStamp.create(crc32c);
      info =
          bytes.lengthBytes() <= store.options().multipartBytes()
              ? putWhole(bytes, crc32c, stamp)
              : putParts(bytes, stamp);
    } catch (Throwable e) {
      done.completeExceptionally(store.translate(key, e));
      return;
    }
    done.complete(info);
  }

  private ObjectInfo putWhole(ContentBytes bytes, int crc32c, ObjectStamp stamp) throws Exception {
    try {
      String etag = await(requests.put(key, bytes, crc32c, stamp, condition)).eTag();
      return new ObjectInfo(key, bytes.lengthBytes(), S3Requests.unquoted(etag));
    } catch (ExecutionException e) {
      return resolve(e, S3Errors.isPrecondition(e.getCause()), stamp);
    }
  }

  /** What is there if it is ours; else the error. */
  private ObjectInfo resolve(ExecutionException error, boolean mayBeOurs, ObjectStamp stamp)
      throws Exception {
    if (mayBeOurs) {
      HeadObjectResponse found = findOrNull();
      if (found != null && stamp.isOf(ObjectStamp.of(found.metadata()))) {
        return new ObjectInfo(key, found.contentLength(), S3Requests.unquoted(found.eTag()));
      }
    }
    throw error;
  }

  private @Nullable HeadObjectResponse findOrNull() throws Exception {
    try {
      return await(requests.head(key));
    } catch (ExecutionException e) {
      if (S3Errors.isMissing(e.getCause())) {
        return null;
      }
      throw e;
    }
  }

  private ObjectInfo putParts(ContentBytes bytes, ObjectStamp stamp) throws Exception {
    if (condition instanceof PutCondition.IfAbsent && findOrNull() != null) {
      throw new PreconditionFailedException(store.name() + ": there is already an object " + key);
    }
    String upload = await(requests.createUpload(key, stamp)).uploadId();
    boolean isComplete = false;
    try {
      List<CompletedPart> parts = uploadParts(bytes, upload);
      ObjectInfo info;
      try {
        String etag = await(requests.completeUpload(key, upload, parts, condition)).eTag();
        info = new ObjectInfo(key, bytes.lengthBytes(), S3Requests.unquoted(etag));
      } catch (ExecutionException e) {
        // 404: there is no such upload any more, since an attempt before has completed it.
        Throwable cause = e.getCause();
        info = resolve(e, S3Errors.isPrecondition(cause) || S3Errors.isMissing(cause), stamp);
      }
      isComplete = true;
      return info;
    } finally {
      if (!isComplete) {
        abort(upload);
      }
    }
  }

  private record Part(int number, int crc32c, Retried<UploadPartResponse> request) {}

  private List<CompletedPart> uploadParts(ContentBytes bytes, String upload) throws Exception {
    long length = bytes.lengthBytes();
    long least = Math.ceilDiv(Math.ceilDiv(length, MAX_PARTS), MEBIBYTE) * MEBIBYTE;
    long partBytes = Math.max(store.options().partBytes(), least);
    List<CompletedPart> completed = new ArrayList<>();
    Deque<Part> underWay = new ArrayDeque<>();
    try {
      int number = 0;
      for (long offset = 0; offset < length; offset += partBytes) {
        if (underWay.size() == PARTS_AT_ONCE) {
          completed.add(await(underWay));
        }
        long size = Math.min(partBytes, length - offset);
        int crc32c = bytes.crc32c(offset, size);
        ContentBody body = new ContentBody(bytes, offset, size);
        number++;
        underWay.add(
            new Part(
                number, crc32c, begin(requests.uploadPart(key, upload, number, body, crc32c))));
      }
      while (!underWay.isEmpty()) {
        completed.add(await(underWay));
      }
      return completed;
    } finally {
      // After an error: the others still read the content.
      for (Part left : underWay) {
        left.request().cancel();
      }
      for (Part left : underWay) {
        left.request().done().exceptionally(error -> null).join();
      }
    }
  }

  private CompletedPart await(Deque<Part> underWay) throws Exception {
    Part first = underWay.element();
    UploadPartResponse response = await(first.request());
    underWay.remove();
    return S3Requests.part(first.number(), response, first.crc32c());
  }

  /** What is not complete costs money until it is aborted. Errors change nothing for the caller. */
  private void abort(String upload) {
    Throwable error =
        requests.abortUpload(key, upload).done().handle((response, failure) -> failure).join();
    if (error != null && !S3Errors.isMissing(S3Errors.unwrap(error))) {
      System.getLogger(PutTask.class.getName())
          .log(
              System.Logger.Level.WARNING,
              "{0}: upload {1} of {2} is left behind: {3}",
              store.name(),
              upload,
              key,
              error);
    }
  }

  private <T> Retried<T> begin(Retried<T> request) {
    boolean cancelled;
    synchronized (this) {
      running.add(request);
      cancelled = isCancelled;
    }
    if (cancelled) {
      request.cancel();
    }
    return request;
  }

  /** Its value; an {@link ExecutionException} has its error. */
  private <T> T await(Retried<T> request) throws Exception {
    begin(request);
    try {
      return request.done().get();
    } catch (CancellationException e) {
      throw e;
    } finally {
      synchronized (this) {
        running.remove(request);
      }
    }
  }

  @Override
  public CompletableFuture<ObjectInfo> done() {
    return done;
  }

  @Override
  public void cancel() {
    List<Retried<?>> all;
    synchronized (this) {
      isCancelled = true;
      all = List.copyOf(running);
    }
    all.forEach(Retried::cancel);
  }
}
