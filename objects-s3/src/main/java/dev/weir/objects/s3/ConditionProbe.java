package dev.weir.objects.s3;

import dev.weir.objects.s3.retry.Retried;
import dev.weir.streams.objects.ObjectContent;
import dev.weir.streams.objects.ObjectStoreException;
import dev.weir.streams.objects.PutCondition;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;

/**
 * Whether a service keeps to conditions: writes that race for one key, of which exactly one may
 * win. Many services have accepted the headers and ignored them, or checked before they locked.
 */
final class ConditionProbe {
  private static final int RACERS = 16;

  private final String store;
  private final S3Requests requests;

  /**
   * Probes later.
   *
   * @param requests with one attempt each: a second one would blur who has won
   */
  ConditionProbe(String store, S3Requests requests) {
    this.store = store;
    this.requests = requests;
  }

  /** Blocks. Throws if the service cannot be relied on, or cannot be asked. */
  void run() throws ObjectStoreException {
    String key = "probe/" + UUID.randomUUID();
    try {
      String etag = race(key, PutCondition.ifAbsent(), "If-None-Match: *");
      race(key, PutCondition.ifMatch(etag), "If-Match");
    } finally {
      requests.delete(List.of(key)).done().handle((deleted, error) -> error).join();
    }
  }

  /** The winner's ETag. */
  private String race(String key, PutCondition condition, String header)
      throws ObjectStoreException {
    List<ContentBytes> contents = new ArrayList<>();
    List<Retried<PutObjectResponse>> racers = new ArrayList<>();
    try {
      for (int i = 0; i < RACERS; i++) {
        byte[] bytes = (header + " " + i).getBytes(StandardCharsets.UTF_8);
        ContentBytes content = new ContentBytes(ObjectContent.of(MemorySegment.ofArray(bytes)));
        contents.add(content);
        int crc32c = content.crc32c(0, content.lengthBytes());
        racers.add(requests.put(key, content, crc32c, ObjectStamp.create(crc32c), condition));
      }
      return winner(racers, header);
    } catch (IOException e) {
      throw e instanceof ObjectStoreException own ? own : new ObjectStoreException(store, e);
    } finally {
      racers.forEach(racer -> racer.done().handle((response, error) -> error).join());
      contents.forEach(ContentBytes::close);
    }
  }

  private String winner(List<Retried<PutObjectResponse>> racers, String header)
      throws ObjectStoreException {
    List<PutObjectResponse> winners = new ArrayList<>();
    int losers = 0;
    Throwable other = null;
    for (Retried<PutObjectResponse> racer : racers) {
      Throwable error =
          racer
              .done()
              .handle((response, failure) -> {
                if (failure == null) {
                  winners.add(response);
                }
                return failure;
              })
              .join();
      Throwable cause = error == null ? null : S3Errors.unwrap(error);
      if (S3Errors.isPrecondition(cause) || isConflict(cause)) {
        losers++;
      } else if (cause != null) {
        other = cause;
      }
    }
    if (winners.size() > 1) {
      throw new UnsafeStoreException(
          "%s does not keep to %s: %d of %d writes that raced for one key were accepted; take a "
                  .formatted(store, header, winners.size(), racers.size())
              + "service with conditional writes, or switch them on");
    }
    if (winners.isEmpty() || losers == 0) {
      throw new ObjectStoreException(
          "%s: none of %d conditional writes was accepted and the others refused: %s"
              .formatted(store, racers.size(), describe(other)),
          other);
    }
    return S3Requests.unquoted(winners.getFirst().eTag());
  }

  private static boolean isConflict(@Nullable Throwable error) {
    return error instanceof AwsServiceException answer && answer.statusCode() == 409;
  }

  private static String describe(@Nullable Throwable error) {
    return error == null ? "no error" : String.valueOf(error.getMessage());
  }
}
