package dev.weir.objects.s3.http;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttribute;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.SdkHttpRequest;

/**
 * Tells the HTTP client which attempt a request belongs to. The SDK carries an attribute as far as
 * its interceptors, and gives each call a header of its own: that links the two.
 */
public final class AttemptRegistry implements ExecutionInterceptor {
  /** Set on each call. */
  public static final ExecutionAttribute<Attempt> ATTEMPT = new ExecutionAttribute<>("WeirAttempt");

  private static final String CALL_HEADER = "amz-sdk-invocation-id";

  private final Map<String, Attempt> attempts = new ConcurrentHashMap<>();

  /** Without attempts. */
  public AttemptRegistry() {}

  @Override
  public void beforeTransmission(Context.BeforeTransmission context, ExecutionAttributes call) {
    Attempt attempt = call.getAttribute(ATTEMPT);
    Optional<String> id = context.httpRequest().firstMatchingHeader(CALL_HEADER);
    if (attempt != null && id.isPresent()) {
      attempts.put(id.get(), attempt);
      attempt.ended().whenComplete((none, error) -> attempts.remove(id.get()));
    }
  }

  /** Null: the request is none of ours. */
  @Nullable Attempt find(SdkHttpRequest request) {
    return request.firstMatchingHeader(CALL_HEADER).map(attempts::get).orElse(null);
  }
}
