package dev.weir.objects.s3;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import software.amazon.awssdk.core.async.AsyncResponseTransformer;
import software.amazon.awssdk.core.async.SdkPublisher;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * Takes the body of one attempt of a read into the caller's memory, straight from the socket's
 * buffers, and checks that it is the range that was asked for. If that is the whole object, its
 * CRC32C has to be the one that it was written with.
 */
final class TargetFiller
    implements AsyncResponseTransformer<GetObjectResponse, GetObjectResponse>,
        Subscriber<ByteBuffer> {
  private final String what;
  private final long offset;
  private final MemorySegment target;
  private final CRC32C crc = new CRC32C();
  private CompletableFuture<GetObjectResponse> done = new CompletableFuture<>();
  private @Nullable GetObjectResponse response;
  private long filledBytes;

  TargetFiller(String what, long offset, MemorySegment target) {
    this.what = what;
    this.offset = offset;
    this.target = target;
  }

  @Override
  public CompletableFuture<GetObjectResponse> prepare() {
    done = new CompletableFuture<>();
    return done;
  }

  @Override
  public void onResponse(GetObjectResponse head) {
    response = head;
  }

  @Override
  public void onStream(SdkPublisher<ByteBuffer> body) {
    body.subscribe(this);
  }

  @Override
  public void exceptionOccurred(Throwable error) {
    done.completeExceptionally(error);
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(ByteBuffer bytes) {
    int length = bytes.remaining();
    if (length > target.byteSize() - filledBytes) {
      done.completeExceptionally(damage("brought more bytes than were asked for"));
      throw new IllegalStateException("more bytes than were asked for");
    }
    target.asSlice(filledBytes, length).copyFrom(MemorySegment.ofBuffer(bytes));
    filledBytes += length;
    crc.update(bytes);
  }

  @Override
  public void onError(Throwable error) {
    done.completeExceptionally(error);
  }

  @Override
  public void onComplete() {
    GetObjectResponse head = Objects.requireNonNull(response);
    String range = head.contentRange();
    long objectBytes =
        range == null
            ? filledBytes
            : Long.parseLong(range.substring(range.lastIndexOf('/') + 1).strip());
    boolean isRange = range == null ? offset == 0 : range.startsWith("bytes " + offset + "-");
    if (!isRange) {
      done.completeExceptionally(damage("brought the range " + range));
    } else if (filledBytes < target.byteSize()) {
      done.completeExceptionally(
          objectBytes < offset + target.byteSize()
              ? S3ObjectStore.tooShort(what, objectBytes, offset + target.byteSize())
              : damage("brought %,d bytes only".formatted(filledBytes)));
    } else if (filledBytes == objectBytes && !ObjectStamp.of(head.metadata()).agrees(crc)) {
      done.completeExceptionally(damage("has another CRC32C than was written"));
    } else {
      done.complete(head);
    }
  }

  private DamagedObjectException damage(String how) {
    return new DamagedObjectException(
        "%s: a read of %,d bytes from %,d %s".formatted(what, target.byteSize(), offset, how));
  }
}
