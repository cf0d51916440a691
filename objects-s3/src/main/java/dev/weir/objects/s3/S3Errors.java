package dev.weir.objects.s3;

import dev.weir.objects.s3.retry.Retried.Verdict;
import dev.weir.streams.objects.NoSuchObjectException;
import dev.weir.streams.objects.ObjectStoreException;
import dev.weir.streams.objects.PreconditionFailedException;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsServiceException;

/** What the SDK's errors mean: whether to try again, and what callers are told. */
final class S3Errors {
  private static final Set<String> THROTTLES =
      Set.of(
          "SlowDown",
          "Throttling",
          "ThrottlingException",
          "RequestLimitExceeded",
          "TooManyRequests",
          "ServiceUnavailable");

  private S3Errors() {}

  static Verdict classify(Throwable error) {
    if (error instanceof AwsServiceException answer) {
      int status = answer.statusCode();
      if (status == 503 || status == 429 || THROTTLES.contains(code(answer))) {
        return Verdict.THROTTLED;
      }
      // 409: another conditional write of the same key is under way.
      return status >= 500
              || status == 408
              || status == 409
              || code(answer).equals("RequestTimeout")
          ? Verdict.RETRY
          : Verdict.FINAL;
    }
    ObjectStoreException own = own(error);
    if (own != null || error instanceof CancellationException) {
      return own instanceof DamagedObjectException ? Verdict.RETRY : Verdict.FINAL;
    }
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof IOException) {
        return Verdict.RETRY;
      }
    }
    return Verdict.FINAL;
  }

  /** An error of the store's own, which the SDK may have wrapped; null: it is none. */
  private static @Nullable ObjectStoreException own(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof ObjectStoreException own) {
        return own;
      }
    }
    return null;
  }

  /** Without the wrappers of futures. */
  static Throwable unwrap(Throwable error) {
    Throwable inner = error;
    while ((inner instanceof CompletionException || inner instanceof ExecutionException)
        && inner.getCause() != null) {
      inner = inner.getCause();
    }
    return inner;
  }

  static boolean isPrecondition(@Nullable Throwable error) {
    return error instanceof AwsServiceException answer
        && (answer.statusCode() == 412 || answer.statusCode() == 304);
  }

  static boolean isMissing(@Nullable Throwable error) {
    return error instanceof AwsServiceException answer
        && answer.statusCode() == 404
        && !code(answer).equals("NoSuchBucket");
  }

  static boolean isBeyondEnd(Throwable error) {
    return error instanceof AwsServiceException answer && answer.statusCode() == 416;
  }

  /** What a caller is told. */
  static Throwable translate(String store, String key, Throwable wrapped) {
    Throwable error = unwrap(wrapped);
    ObjectStoreException own = own(error);
    if (own != null) {
      return own;
    }
    if (error instanceof CancellationException) {
      return error;
    }
    if (isMissing(error)) {
      return new NoSuchObjectException(store + " has no object " + key);
    }
    if (isPrecondition(error)) {
      return new PreconditionFailedException(
          "%s: object %s is not as the request demands".formatted(store, key));
    }
    if (isBeyondEnd(error)) {
      return new ObjectStoreException(
          "%s: object %s ends before the range that was asked for".formatted(store, key), error);
    }
    String reason =
        error instanceof AwsServiceException answer
            ? "status %d, %s: %s".formatted(answer.statusCode(), code(answer), message(answer))
            : String.valueOf(error.getMessage());
    return new ObjectStoreException("%s: object %s: %s".formatted(store, key, reason), error);
  }

  private static String code(AwsServiceException answer) {
    var details = answer.awsErrorDetails();
    return details == null || details.errorCode() == null ? "" : details.errorCode();
  }

  private static String message(AwsServiceException answer) {
    var details = answer.awsErrorDetails();
    return details == null ? "" : String.valueOf(details.errorMessage());
  }
}
